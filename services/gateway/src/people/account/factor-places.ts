import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { FactorOwner, IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { Language } from '@gatehouse/proto/people/languages'
import type { PendingAuthorization } from '@gatehouse/proto/token/v1'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuthorizationStepDeps, waitingAuthorization } from '../authorization/authorization-step.ts'
import { languageOf } from '../pages/page-language.ts'
import { type FactorPlace, flowAt, loginAddress, secondFactorAddress } from '../pages/return-to.ts'
import type { BrowserSessions } from '../session/browser-session.ts'
import type { NewRecoveryCodes } from '../session/new-recovery-codes.ts'
import type { PendingLogins } from '../session/pending-logins.ts'
import { wayOfWriting } from './way-of-writing.ts'

/** The needs of the pages about factors. */
export type FactorDeps = Pick<AuthorizationStepDeps, 'tokens'> & {
  identity: RpcClient<typeof IdentityServiceService>
  sessions: BrowserSessions
  pendingLogins: PendingLogins
  newCodes: NewRecoveryCodes
}

/** Where a page about factors was asked for, and where it leads. */
export type Place = { of: FactorPlace; returnTo: string | undefined }

/** The user who proves or enrols a factor there; undefined when nobody is logged in or logs in. */
export function ownerAt(
  { of }: Place,
  request: FastifyRequest,
  { sessions, pendingLogins }: Pick<FactorDeps, 'sessions' | 'pendingLogins'>,
): FactorOwner | undefined {
  const value = of === 'session' ? sessions.secretOf(request) : pendingLogins.secretOf(request)
  if (value === undefined) return undefined
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
  return reply.redirect(loginAddress(page, { again: true }), status)
}

/** The authorization request to which a page leads back; undefined when there is none, or it is over. */
export async function waitingAt(
  { returnTo }: Place,
  deps: Pick<FactorDeps, 'tokens'>,
): Promise<PendingAuthorization | undefined> {
  const flowId = flowAt(returnTo)
  if (flowId === undefined) return undefined
  return waitingAuthorization({ flowId, session: undefined }, deps).catch((error) => {
    if (error instanceof Refusal && error.httpStatus < 500) return undefined
    throw error
  })
}

/** The language of a page about factors: the one that the app asks for, or that of the account, or the browser's. */
export async function languageAt(place: Place, request: FastifyRequest, deps: FactorDeps): Promise<Language> {
  const waiting = await waitingAt(place, deps)
  if (waiting) return languageOf(request, waiting.uiLocales?.split(' '))
  const session = place.of === 'session' ? await deps.sessions.of(request) : undefined
  return session ? accountLanguage(session.user.userId, request, deps) : languageOf(request)
}

/** The language of a page about a user's own account. */
export async function accountLanguage(
  userId: string,
  request: FastifyRequest,
  { identity }: { identity: Pick<FactorDeps['identity'], 'getUser'> },
): Promise<Language> {
  const { user } = await identity.getUser({ userId })
  return languageOf(request, [wayOfWriting(user?.attributes ?? {}).locale])
}

/** The addresses of the pages that enrol a factor and lead on afterwards. */
export function enrolmentAddresses({ of, returnTo }: Place) {
  return {
    passkey: secondFactorAddress(returnTo, of, '/passkey'),
    app: secondFactorAddress(returnTo, of, '/app'),
  }
}
