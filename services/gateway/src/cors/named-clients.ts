import type { FastifyRequest } from 'fastify'
import { bearerTokenIn, presentedIn } from '../oauth/presented.ts'

/**
 * The clients that a request to the token or the revocation endpoint names, one for each way to read its credentials.
 * @returns undefined when it was refused before its client was read
 */
export function clientsNamedBy(request: FastifyRequest): string[] | undefined {
  if (request.headers.authorization === undefined && request.body === undefined) return undefined
  return presentedIn(request).presented.credentials.map(({ clientId }) => clientId)
}

/**
 * The client of the access token that a request to userinfo presents. The token is not verified: the caller learns from the answer
 * that a forged one is not valid.
 * @returns undefined when it was refused before its token was read
 */
export function clientsOfToken(request: FastifyRequest): string[] | undefined {
  const { headers, body, method } = request
  const { authorization } = headers
  if (method === 'POST' && authorization === undefined && body === undefined) return undefined
  const token = authorization === undefined ? textIn(body, 'access_token') : bearerTokenIn(request)
  const clientId = token === undefined ? undefined : clientOf(token)
  return clientId === undefined ? [] : [clientId]
}

function textIn(body: unknown, name: string): string | undefined {
  const value: unknown = Object(body)[name]
  return typeof value === 'string' ? value : undefined
}

/** The claim `client_id` of a JWT (RFC 9068 section 2.2). */
function clientOf(token: string): string | undefined {
  try {
    return textIn(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()), 'client_id')
  } catch {
    return undefined
  }
}
