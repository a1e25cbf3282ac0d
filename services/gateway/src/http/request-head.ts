import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyRequest } from 'fastify'

/** Refuses requests whose head is ambiguous or whose body has a content coding. */
export function refuseBadHeads(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const fault = headFault(request)
    // RFC 9110 section 12.5.3: a 415 names the codings that are supported.
    if (fault?.httpStatus === 415) reply.header('accept-encoding', 'identity')
    done(fault)
  })
}

/** Checks a request's head. @returns the refusal of a faulty head; undefined for a sound one */
export function headFault({ raw, headers }: FastifyRequest): Refusal | undefined {
  // RFC 9112 section 3.2: every request of HTTP/1.1 has one Host.
  const { host: hosts, authorization: authorizations } = countsIn(raw.rawHeaders)
  if (hosts > 1 || (hosts === 0 && raw.httpVersion === '1.1'))
    return new Refusal('invalid_request', 'The request must have one Host header.')
  // Node gives only the first; a proxy in front may have checked the last.
  if (authorizations > 1)
    return new Refusal('invalid_request', 'The request has more than one Authorization header.')
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return undefined
  const description = 'The body must be sent as it is, without a Content-Encoding.'
  return new Refusal('invalid_request', description, { httpStatus: 415 })
}

/**
 * Counts the headers that a request may have only once. It runs for every request, so it is written for speed.
 * @param rawHeaders names and values, alternating
 */
function countsIn(rawHeaders: readonly string[]): { host: number; authorization: number } {
  const counts = { host: 0, authorization: 0 }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') counts.host += 1
    else if (name.length === 13 && name.toLowerCase() === 'authorization') counts.authorization += 1
  }
  return counts
}
