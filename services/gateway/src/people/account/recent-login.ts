import { Refusal } from '@gatehouse/kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import type { BrowserSession, BrowserSessions } from '../session/browser-session.ts'
import { confirmFirst } from './factor-places.ts'

/** How long after a login its user may do what needs a recent login, in milliseconds. The identity service holds it. */
const fresh = 300_000

/**
 * Acts for the session's user, who must have logged in, with a second factor if they have one, in the last minutes. Otherwise the
 * browser goes to the login page, and from there back to the page.
 * @param page the path to which it comes back; by default that of the request, without its query
 */
export async function withRecentLogin(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions }: { sessions: BrowserSessions },
  act: (session: BrowserSession) => Promise<FastifyReply>,
  page = request.url.split('?', 1)[0] ?? '',
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  const status = request.method === 'GET' ? 302 : 303
  const session = await sessions.of(request)
  if (session === undefined) return reply.redirect(loginAddress(page), status)
  if (session.secondFactorUnproven) return reply.redirect(secondFactorAddress(page, 'session'), status)
  const { seenAt, authenticatedAt } = session
  const age = (seenAt?.getTime() ?? 0) - (authenticatedAt?.getTime() ?? 0)
  if (age >= fresh) return confirmFirst(reply, page, status)
  try {
    return await act(session)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'login_required') return confirmFirst(reply, page, status)
    throw error
  }
}
