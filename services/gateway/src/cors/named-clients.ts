import type { FastifyRequest } from 'fastify'
import { bearerTokenOf } from '../http/bearer-token.ts'
import { presentedCredentials } from '../oauth/presented-credentials.ts'

type Request = Pick<FastifyRequest, 'headers' | 'body' | 'method'>

/**
 * The clients that a request to the token or the revocation endpoint names, one for each way to read its credentials.
 * @returns undefined when it was refused before its client was read
 */
export function clientsNamedBy({ headers, body }: Request): string[] | undefined {
  const { authorization } = headers
  if (authorization === undefined && body === undefined) return undefined
  const named = textIn(body, 'client_id')
  try {
    const form = named === undefined ? {} : { client_id: named }
    return presentedCredentials({ headers: { authorization }, body: form }).map(({ clientId }) => clientId)
  } catch {
    return []
  }
}

/**
 * The client of the access token that a request to userinfo presents. The token is not verified: the caller learns from the answer
 * that a forged one is not valid.
 * @returns undefined when it was refused before its token was read
 */
export function clientsOfToken({ headers, body, method }: Request): string[] | undefined {
  const { authorization } = headers
  if (method === 'POST' && authorization === undefined && body === undefined) return undefined
  const token = authorization === undefined ? textIn(body, 'access_token') : bearerTokenOf(authorization)
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
