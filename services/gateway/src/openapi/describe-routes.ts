import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { App } from '@gatehouse/http/app'
import { onlyWhere, profilesExtension, tooLarge } from '@gatehouse/http/schemas'
import { authenticationSchemes } from '@gatehouse/proto/client-authentication'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { profileNames } from '@gatehouse/proto/profiles'
import type { FastifySchema, RouteOptions } from 'fastify'
import { endpoint } from '../endpoint/endpoint.ts'
import { tags } from '../endpoint/tags.ts'
import { once, sendShared, sharedDocument } from '../http/shared-document.ts'
import { sessionCookie } from '../people/session/browser-session.ts'
import { nameComponents } from './components.ts'
import { headersOf, limitIn } from './headers.ts'
import { apiPage } from './page-routes.ts'

/** The OpenAPI document at /openapi.json, and the same as a page at /swagger-ui. */
export const apiDescription = endpoint({
  name: 'API description',
  door: 'anybody',
  routes(app) {
    const document = once(() => sharedDocument(JSON.stringify(app.swagger()), jsonType))
    app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) =>
      sendShared(request, reply, document()),
    )
    apiPage(app, () => app.swagger())
  },
})

/**
 * Makes an OpenAPI 3.1 description of the routes' schemas. It must be called before the routes are declared.
 * @param app the server
 * @param facts the release, the public base URL, and how requests are limited, if they are
 */
export async function describeRoutes(
  app: App,
  facts: { version: string; issuer: string; limits?: unknown },
): Promise<void> {
  const limited = facts.limits !== undefined
  await app.register(swagger, {
    openapi: documentOf(facts),
    transform: ({ schema, url, route }) => ({ schema: describedRoute(schema, route, limited), url }),
    transformObject(document) {
      if (!('openapiObject' in document)) throw new Error('the document is not an OpenAPI 3 one')
      return nameComponents(document.openapiObject)
    },
  })
}

const jsonType = 'application/json; charset=utf-8'

/** The parts of the document that do not come from the routes. */
function documentOf(facts: {
  version: string
  issuer: string
}): NonNullable<FastifyDynamicSwaggerOptions['openapi']> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      description:
        'An OAuth 2.0 authorization server. Operations under "Admin" use the session of an administrator who has logged in with this browser. The operations that need a token use the new one after you have tried out `/oauth/token`. `x-gatehouse-profiles` names the profiles (`OAUTH2_PROFILE`) that have an operation or a field by default; a field without it is wherever its operation is. Elsewhere an operation is answered with 404, or with 405 where its path has another method.',
      version: facts.version,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: facts.issuer }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    components: {
      securitySchemes: {
        ...Object.fromEntries(authenticationSchemes.map(({ name, ...scheme }) => [name, scheme])),
        clientToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'An active access token of the calling client (RFC 7662 section 2.1).',
        },
        registrationToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required when `OAUTH2_REGISTRATION` is `token`.',
        },
        registrationAccessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The token that a client got when it registered (RFC 7592).',
        },
        ingestToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required when `OAUTH2_EVENTS_INGEST_TOKEN` is set.',
        },
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of a user with the scope `openid`.',
        },
        adminSession: {
          type: 'apiKey',
          in: 'cookie',
          name: sessionCookie,
          description: 'The session of an administrator who has logged in with a browser.',
        },
        adminToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'An access token with the scope `admin`. If it belongs to a user, they must be an administrator.',
        },
      },
    },
  }
}

/** A route's schema, with what follows from its method and its configuration. */
function describedRoute(
  schema: FastifySchema = {},
  { method, config = {} }: RouteOptions,
  limited: boolean,
): FastifySchema {
  const takesBody = [method].flat().some((one) => one !== 'GET' && one !== 'HEAD')
  const response: Record<string, Answer> = {
    ...(takesBody && { 413: tooLarge }),
    ...Object(schema.response),
  }
  const described = mapValues(response, ({ codes = [], ...answer }) => {
    const headers = { ...answer.headers, ...headersOf({ codes }, { config, limited }) }
    const whole = { ...answer, ...(Object.keys(headers).length > 0 && { headers }) }
    return config.page ? forPeopleToo(whole) : whole
  })
  return {
    // An operation without security is open to everybody.
    security: [],
    ...schema,
    [profilesExtension]: profileNames,
    ...(config.presence && onlyWhere(config.presence, schema.description)),
    ...(limited && { 'x-gatehouse-rate-limit': limitIn(config) }),
    response: described,
  }
}

/** An answer as routes declare it. */
type Answer = { codes?: readonly ErrorCode[]; headers?: object; content?: Record<string, unknown> }

/** Adds HTML to an error's content types: browsers get errors as pages. */
function forPeopleToo(answer: Answer): Answer {
  const { content } = answer
  if (content?.['application/json'] === undefined) return answer
  return { ...answer, content: { ...content, 'text/html': { schema: { type: 'string' } } } }
}

function mapValues<From, To>(from: Record<string, From>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, map(value)]))
}
