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

/** Whether an error comes with WWW-Authenticate: every 401 must (RFC 9110 section 15.5.2), and RFC 6750 section 3.1 names one more. */
export function isChallenged(code: ErrorCode, httpStatus: number): boolean {
  return httpStatus === 401 || code === 'insufficient_scope'
}

/**
 * The schemes with which an error is challenged: the first is for programs, the last for the scripts of pages. Basic would make a browser
 * open its own window for a name and password, so browsers get a scheme that none of them knows.
 */
export function schemesOf(code: ErrorCode, page = false): readonly [string, ...string[]] {
  if (page) return ['Form']
  return code === 'invalid_client' ? ['Basic', 'Form'] : ['Bearer']
}

const realm = 'realm="gatehouse"'

/** The value of WWW-Authenticate. */
export function challengeOf({ headers, body, routeOptions }: FastifyRequest, code: ErrorCode): string {
  const { page, requiredScope = 'admin' } = routeOptions.config
  const { authorization } = headers
  const [scheme, ofScripts = scheme] = schemesOf(code, page)
  if (page) return `${scheme} ${realm}, action="/auth/login"`
  if (code === 'invalid_client') {
    // RFC 6749 section 5.2: a client that used the Authorization header is told its scheme. Only browsers send
    // Sec-Fetch-Site.
    const byScript = authorization === undefined && headers['sec-fetch-site'] !== undefined
    return byScript
      ? `${ofScripts} ${realm}, fields="client_id client_secret"`
      : `${scheme} ${realm}, charset="UTF-8"`
  }
  if (code === 'insufficient_scope')
    return `${scheme} ${realm}, error="insufficient_scope", scope="${requiredScope}"`
  // RFC 6750 section 3.1: a caller that presented no token gets no error code.
  const inForm = (body as { access_token?: string } | undefined)?.access_token
  const presented = code === 'invalid_token' && (/^Bearer +\S/i.test(authorization ?? '') || inForm)
  return presented ? `${scheme} ${realm}, error="invalid_token"` : `${scheme} ${realm}`
}
