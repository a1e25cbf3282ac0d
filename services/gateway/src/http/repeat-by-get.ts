import { type Form, valuesOf } from '@gatehouse/http/form'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** In characters: as much as a URL may have everywhere. */
const longestRequest = 8_000

/**
 * Answers a form that another site sent with a redirect to the same request by GET: the browser sends our cookies with that one,
 * but not with the form.
 * @throws Refusal invalid_request when it is too long for a URL
 */
export function repeatByGet({ body }: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const parameters = Object.entries(body as Form).flatMap(([name, joined]) =>
    valuesOf(joined).map((value): [string, string] => [name, value]),
  )
  const query = new URLSearchParams(parameters).toString()
  if (query.length > longestRequest) throw new Refusal('invalid_request', 'The request is too long.')
  return reply.redirect(query === '' ? path : `${path}?${query}`, 303)
}
