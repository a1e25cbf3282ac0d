import type { ErrorCode } from '@gatehouse/proto/errors'
import type { FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The scope that an access token needs here, for the challenge (RFC 6750 section 3); by default `admin`, which also stands for all others. */
    requiredScope?: string
    /** Whether every administrator may come here, whatever their role or scope. */
    anyAdministrator?: boolean
  }
}

const realm = 'realm="gatehouse"'

/**
 * The value of WWW-Authenticate, which every 401 must have (RFC 9110 section 15.5.2). Basic would make a browser open its
 * own window for a name and password, so browsers get a scheme that none of them knows.
 */
export function challengeOf({ headers, body, routeOptions }: FastifyRequest, code: ErrorCode): string {
  if (routeOptions.config.page) return `Form ${realm}, action="/auth/login"`
  const { authorization } = headers
  if (code === 'invalid_client') {
    // RFC 6749 section 5.2: a client that used the Authorization header is told its scheme. Only browsers send
    // Sec-Fetch-Site.
    const byScript = authorization === undefined && headers['sec-fetch-site'] !== undefined
    return byScript ? `Form ${realm}, fields="client_id client_secret"` : `Basic ${realm}, charset="UTF-8"`
  }
  if (code === 'insufficient_scope') {
    const { requiredScope = 'admin' } = routeOptions.config
    return `Bearer ${realm}, error="insufficient_scope", scope="${requiredScope}"`
  }
  // RFC 6750 section 3.1: a caller that presented no token gets no error code.
  const inForm = (body as { access_token?: string } | undefined)?.access_token
  const presented = code === 'invalid_token' && (/^Bearer +\S/i.test(authorization ?? '') || inForm)
  return presented ? `Bearer ${realm}, error="invalid_token"` : `Bearer ${realm}`
}
