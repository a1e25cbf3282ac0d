import { queryOf } from '@gatehouse/http/form'
import type { FastifyRequest } from 'fastify'
import type { BrowserSessions } from '../session/browser-session.ts'
import type { SocialBrowsers } from './social-browser.ts'

/** The data that a browser brings back from a provider, as the identity service takes them. */
export function providerAnswer(
  request: FastifyRequest,
  { sessions, browsers }: { sessions: BrowserSessions; browsers: SocialBrowsers },
) {
  return {
    query: queryOf(request.url),
    browserSecrets: browsers.secretsOf(request),
    ipAddress: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    previousSessionSecret: sessions.secretOf(request),
    knownUsers: sessions.knownUsers(request),
  }
}
