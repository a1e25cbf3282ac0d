import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { FactorOwner, IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BrowserSessions } from './browser-session.ts'
import type { PendingLogins } from './pending-logins.ts'
import { type FactorPlace, loginAddress, secondFactorAddress } from './return-to.ts'

/** What the pages about factors need. */
export type FactorDeps = {
  identity: RpcClient<typeof IdentityServiceService>
  sessions: BrowserSessions
  pendingLogins: PendingLogins
}

/** Where a page about factors was asked for, and where it leads. */
export type Place = { of: FactorPlace; returnTo: string | undefined }

/** Who proves or enrols a factor there; undefined when nobody is logged in or logs in. */
export function ownerAt(
  { of }: Place,
  request: FastifyRequest,
  { sessions, pendingLogins }: Pick<FactorDeps, 'sessions' | 'pendingLogins'>,
): FactorOwner | undefined {
  const value = of === 'session' ? sessions.secretOf(request) : pendingLogins.secretOf(request)
  if (value === '') return undefined
  return { owner: { $case: of === 'session' ? 'sessionSecret' : 'pendingLoginSecret', value } }
}

/** The browser that proves a factor. */
export function provingBrowser(request: FastifyRequest, { sessions }: Pick<FactorDeps, 'sessions'>) {
  return {
    ipAddress: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    previousSessionSecret: sessions.secretOf(request),
    knownUsers: sessions.knownUsers(request),
  }
}

/** Redirects a browser to the login page. From there it leads to a page that needs a recent login. */
export function confirmFirst(reply: FastifyReply, page: string, status: 302 | 303): FastifyReply {
  return reply.header('cache-control', 'no-store').redirect(`${loginAddress(page)}&again=yes`, status)
}

/** The addresses of the pages that enrol a factor and lead on afterwards. */
export function enrolmentAddresses({ of, returnTo }: Place) {
  return {
    passkey: secondFactorAddress(returnTo, of, '/passkey'),
    app: secondFactorAddress(returnTo, of, '/app'),
  }
}
