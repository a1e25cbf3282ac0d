import type { ErrorCode } from '@gatehouse/proto/errors'
import type { FastifyRequest } from 'fastify'

const realm = 'realm="gatehouse"'

/**
 * How a caller could be let in, for WWW-Authenticate, which no 401 may lack (RFC 9110 section 15.5.2). Basic makes a
 * browser ask its user for a name and password in a window of its own, so what browsers get is of a scheme that none knows.
 */
export function challengeOf({ headers, routeOptions }: FastifyRequest, code: ErrorCode): string {
  if (routeOptions.config.page) return `Form ${realm}, action="/auth/login"`
  const { authorization } = headers
  if (code === 'invalid_client') {
    // RFC 6749 section 5.2: whoever tried the header is told of the scheme. Only browsers say from which site they ask.
    const byScript = authorization === undefined && headers['sec-fetch-site'] !== undefined
    return byScript ? `Form ${realm}, fields="client_id client_secret"` : `Basic ${realm}, charset="UTF-8"`
  }
  if (code === 'insufficient_scope') return `Bearer ${realm}, error="insufficient_scope", scope="admin"`
  // RFC 6750 section 3.1: no error code for whoever presented no token.
  const presented = code === 'invalid_token' && /^Bearer +\S/i.test(authorization ?? '')
  return presented ? `Bearer ${realm}, error="invalid_token"` : `Bearer ${realm}`
}
