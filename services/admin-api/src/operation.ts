import type { App } from '@gatehouse/http/app'
import type { Actor } from '@gatehouse/proto/audit/v1'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@gatehouse/proto/typebox'
import type { FastifyRequest } from 'fastify'
import { actorOf } from './administrator.ts'
import { adminAnswers } from './schemas.ts'

/** The names of the parameters in a path such as `/users/:user_id`. */
export type ParameterOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Asked<Path extends string, Query extends TProperties, Body extends TSchema> = {
  params: Record<ParameterOf<Path>, string>
  query: Static<TObject<Query>>
  body: Static<Body>
  /** The administrator who asks, as the services' RPCs take them. */
  actor: Actor
  request: FastifyRequest
}

/** The content of an answer. There is none with 204. */
type Answered<Good extends Record<number, TSchema>> = 204 extends keyof Good
  ? unknown
  : Static<Good[keyof Good & number]>

/** An operation of the API besides the lists. */
export type Operation<
  Path extends string,
  Query extends TProperties,
  Body extends TSchema,
  Good extends Record<number, TSchema>,
> = {
  /** Its method and its path. */
  route: `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${Path}`
  operationId: string
  summary: string
  description?: string
  /** The parameters of the query. */
  query?: Query
  body?: Body
  /** The answer that is not an error, by its HTTP status. */
  answer: Good
  /** The error codes of this route, besides the guard's. */
  refusals?: readonly ErrorCode[]
  perform(asked: Asked<Path, Query, Body>): Promise<Answered<Good>>
}

/** Declares the route of an operation. The status of its answers is the one in `answer`. */
export function operationRoute<
  Path extends string,
  Query extends TProperties,
  Body extends TSchema,
  Good extends Record<number, TSchema>,
>(app: App, operation: Operation<Path, Query, Body, Good>): void {
  const { route, operationId, summary, description, query, body, answer, refusals = [], perform } = operation
  const [method, url] = route.split(' ') as [string, string]
  const status = Number(Object.keys(answer)[0])
  app.route({
    method,
    url,
    schema: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      ...pathParameters(url),
      ...(query && { querystring: Type.Object(query) }),
      ...(body && { body }),
      response: adminAnswers(answer as Record<number, TSchema>, ...refusals),
    },
    async handler(request, reply) {
      // The schemas have checked the request.
      const { params, query, body } = request as unknown as Pick<
        Asked<Path, Query, Body>,
        'params' | 'query' | 'body'
      >
      const content = await perform({ params, query, body, actor: actorOf(request), request })
      return reply.code(status).send(status === 204 ? null : content)
    },
  })
}

/** The part of a route's schema with the parameters in its path; empty without any. */
export function pathParameters(url: string): { params?: TSchema } {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, Type.String()])
  return names.length > 0 ? { params: Type.Object(Object.fromEntries(names)) } : {}
}
