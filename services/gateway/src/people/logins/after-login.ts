import { adminRoleOf } from '@gatehouse/proto/administration'
import type { NewSession, PendingLogin } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { secondFactorAddress } from '../pages/return-to.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import type { PendingLogins } from '../session/pending-logins.ts'

/** Where a login leads. */
type SendingOn = {
  session: NewSession
  /** The result of returnPath. */
  returnTo: string | undefined
  status: 302 | 303
  /** The mark of the name or the address that the user typed. */
  mark?: string | undefined
}

/**
 * Gives a browser its new session and redirects it to the page that asked for the login, or else to the user's own page.
 */
export function sendOn(
  request: FastifyRequest,
  reply: FastifyReply,
  { session, returnTo, status, mark }: SendingOn,
  sessions: Pick<BrowserSessions, 'begin'>,
): FastifyReply {
  sessions.begin(request, reply, session, mark)
  const ownPage = session.user && adminRoleOf(session.user) ? '/admin' : '/account'
  return reply.redirect(returnTo ?? ownPage, status)
}

/** Gives a browser a login that waits for the second factor, and redirects it to the page that asks for that. */
export function askSecondFactor(
  reply: FastifyReply,
  { pending, returnTo, status, mark }: Omit<SendingOn, 'session'> & { pending: PendingLogin },
  pendingLogins: Pick<PendingLogins, 'begin'>,
): FastifyReply {
  pendingLogins.begin(reply, pending, mark)
  return reply.redirect(secondFactorAddress(returnTo, 'login'), status)
}
