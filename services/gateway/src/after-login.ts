import type { NewSession } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSessions } from './browser-session.ts'
import type { ResumedLogins } from './resumed-login.ts'
import { returnPath } from './return-to.ts'

/** What ending a login needs. */
export type AfterLoginDeps = { sessions: Pick<BrowserSessions, 'begin'>; resumed: ResumedLogins }

/**
 * Gives a browser its new session and sends it on: to where the login was wanted for, else to the user's own page.
 * @param returnTo as the request said
 */
export function sendOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, returnTo, status }: { session: NewSession; returnTo: string | undefined; status: 302 | 303 },
  { sessions, resumed }: AfterLoginDeps,
): FastifyReply {
  sessions.begin(request, reply, session)
  const path = returnPath(returnTo)
  if (path?.startsWith('/oauth/authorize?')) resumed.expect(reply, session.sessionSecret, path)
  const ownPage = session.user?.admin ? '/admin' : '/account'
  return reply.header('cache-control', 'no-store').redirect(path ?? ownPage, status)
}
