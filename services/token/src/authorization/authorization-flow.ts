import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Client } from '../clients/client-authentication.ts'
import { ClientChanged, decideByClient } from '../clients/client-change.ts'
import {
  type AuthorizationResponse,
  answerWithCode,
  checkResponseMode,
  flowEnded,
  responseTo,
  responseToFaulty,
} from './authorization-answer.ts'
import type { CodeCreationDeps } from './authorization-code.ts'
import {
  checkResponseType,
  findRequestingClient,
  type JudgedRequest,
  judgeRequest,
  mayRedirect,
  type SentRequest,
} from './authorization-request.ts'
import {
  type AuthorizingUser,
  type LoginReason,
  type NextStep,
  nextStep,
  type UserAnswers,
} from './next-step.ts'
import { readOpenidRequest, refuseUnsupported } from './openid-request.ts'
import { type PendingAuthorization, pendingOf } from './pending-authorization.ts'

/** How long an authorization request waits for its user, in seconds. */
const flowLifetime = 900

/** An authorization request that waits for its user. */
export type AuthorizationFlow = Pick<
  JudgedRequest,
  'grant' | 'redirectUri' | 'state' | 'codeChallenge' | 'openid'
> & {
  id: string
  /** By the database's clock. */
  begunAt: Date
}

/** Stores authorization requests that wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: Omit<AuthorizationFlow, 'begunAt'> & { lifetime: number }): Promise<void>
  /** @returns undefined when the flow is unknown, expired or already answered */
  find(id: string): Promise<AuthorizationFlow | undefined>
  /**
   * Ends a flow without a code.
   * @returns false when the flow is unknown, expired or already answered: only one of several concurrent calls ends it
   */
  end(id: string): Promise<boolean>
}

/** The next step of an authorization request. */
export type AuthorizationStep =
  | { step: 'log_in' | 'ask_consent'; pending: PendingAuthorization }
  | { step: 'respond'; response: AuthorizationResponse }

/** The needs of processing authorization requests. */
export type AuthorizationFlowDeps = CodeCreationDeps & {
  flows: AuthorizationFlowStore
  /**
   * Reads the metadata document of a client whose id is its address, unless what is known of it is fresh.
   * @param ipAddress the address of the user's browser
   * @throws Refusal invalid_client
   */
  readClientIdDocument(clientId: string, ipAddress: string | undefined): Promise<void>
  log: Logger
}

/**
 * Checks an authorization request and returns its next step. Unless that step is the response, it stores the request.
 * @param dryRun stores nothing and creates no code
 * @param ipAddress the address of the user's browser
 * @throws Refusal as findRequestingClient does, and as judgeRequest and readOpenidRequest do where their errors
 *   do not go to the redirect URI; invalid_client for a client whose metadata document cannot be used
 */
export async function beginAuthorization(
  sent: SentRequest,
  {
    user,
    dryRun,
    ipAddress,
  }: { user: AuthorizingUser | undefined; dryRun: boolean; ipAddress?: string | undefined },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const { clientId = '' } = sent
  await deps.readClientIdDocument(clientId, ipAddress)
  return decideByClient([{ clientId }], deps, async () => {
    const { client, redirectUri } = await findRequestingClient(sent, deps)
    const request = { ...sent, clientId, redirectUri }
    try {
      // Before the other parameters of OpenID Connect: which of them a request may have depends on it.
      if (deps.openid) {
        refuseUnsupported(request.openid)
        checkResponseType(request.responseType, deps)
      }
      const openid = deps.openid && (await readOpenidRequest(request.openid, deps.openid))
      checkResponseMode(request.redirectUri, openid)
      const judged = await judgeRequest(request, openid, client, deps)
      return await firstStep(judged, { user, dryRun }, deps)
    } catch (error) {
      if (!mayRedirect(error, client, deps)) throw error
      return { step: 'respond', response: { ...responseToFaulty(request, deps), failure: error } }
    }
  })
}

/**
 * Whether a client may learn, without a page, that the user must do something (prompt=none). Otherwise anybody who registers a client
 * could use this server as an open redirector, and learn who is logged in.
 */
function mayTellUnasked(client: Client, user: AuthorizingUser | undefined): boolean {
  const { consented } = user ?? {}
  const isConsented = consented?.clientId === client.clientId && consented.scope !== ''
  return client.createdBy === 'administrator' || isConsented
}

async function firstStep(
  request: JudgedRequest,
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const next = nextStep({ ...request, begunAt: user?.seenAt }, user, {})
  if (next.step === 'refuse') {
    if (!mayTellUnasked(request.client, user)) throw next.refusal
    return { step: 'respond', response: { ...responseTo(request), failure: next.refusal } }
  }
  const refused = await refusedByRole(request, next, user, deps)
  if (refused) {
    if (!mayTellUnasked(request.client, user)) throw refused
    return { step: 'respond', response: { ...responseTo(request), failure: refused } }
  }
  if (next.step === 'respond' && user) {
    const response = dryRun
      ? { ...responseTo(request), code: '' }
      : await answerAgreed(request, undefined, user, deps)
    return { step: 'respond', response }
  }
  const id = dryRun ? '' : randomUUIDv7()
  if (!dryRun) await deps.flows.add({ ...request, id, lifetime: flowLifetime })
  return pendingStep(id, request, next)
}

/**
 * Judges by roles, once the login is known and before anything is answered or asked, so that nobody consents to what they cannot have.
 * @returns undefined when the user can have part of the scope, or must log in first
 * @throws Refusal temporarily_unavailable
 */
async function refusedByRole(
  { client, target, grant }: JudgedRequest,
  next: NextStep,
  user: AuthorizingUser | undefined,
  { authority }: AuthorizationFlowDeps,
): Promise<Refusal | undefined> {
  const isDecided = next.step === 'log_in' || next.step === 'refuse'
  if (user === undefined || isDecided) return undefined
  if (await authority.judge({ client, userId: user.userId }, target, grant.scope)) return undefined
  return new Refusal('access_denied', 'The user has no role that gives this scope.')
}

/**
 * Finds an authorization request that waits for its user.
 * @param user undefined when nobody is logged in
 * @returns undefined when it is unknown, expired or already answered
 * @throws Refusal as findRequestingClient and judgeRequest do, when the client may no longer make this request
 */
export async function findAuthorization(
  id: string,
  deps: AuthorizationFlowDeps,
  user?: AuthorizingUser,
): Promise<PendingAuthorization | undefined> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) return undefined
  return decideByClient([flow.grant], deps, async () => {
    const request = await judgeAgain(flow, deps)
    const next = nextStep({ ...request, begunAt: flow.begunAt }, user, {})
    return pendingOf(id, request, next.step === 'log_in' ? next.reason : undefined)
  })
}

/**
 * Returns the next step after the user has logged in or decided. It checks the request again, because the client may have
 * changed since the request began.
 * @param afterForm whether a form with a password is answered: a page with the client's answer then waits for the next call, after
 *   `ask_consent`
 * @throws Refusal as findAuthorization does; invalid_request when the flow is unknown, expired or already answered
 */
export async function continueAuthorization(
  id: string,
  {
    user,
    afterForm = false,
    ...answers
  }: { user: AuthorizingUser; afterForm?: boolean | undefined } & UserAnswers,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) throw flowEnded()
  return decideByClient([flow.grant], deps, async () => {
    const request = await judgeAgain(flow, deps)
    const next = nextStep({ ...request, begunAt: flow.begunAt }, user, answers)
    if (afterForm && !answers.decision && next.step !== 'log_in' && responseTo(request).formPost)
      return pendingStep(id, request, { step: 'ask_consent' })
    const refused = answers.decision === 'denied' ? undefined : await refusedByRole(request, next, user, deps)
    if (refused) return { step: 'respond', response: await endFlow(flow, refused, deps) }
    if (next.step === 'refuse') return { step: 'respond', response: await endFlow(flow, next.refusal, deps) }
    if (next.step !== 'respond') return pendingStep(id, request, next)
    const { clientId, scope } = request.grant
    const consent = { userId: user.userId, clientId, metadata: { scope } }
    if (answers.decision === 'denied') {
      const denied = new Refusal('access_denied', 'The user denied the request.')
      const response = await endFlow(flow, denied, deps)
      deps.emit('consent_denied', consent)
      return { step: 'respond', response }
    }
    const response = await answerAgreed(request, id, user, deps)
    if (answers.decision === 'allowed' && 'code' in response) deps.emit('consent_granted', consent)
    return { step: 'respond', response }
  })
}

/**
 * Creates the code for a request to which the user agreed. If the client gets more scope with it, the client is changed first, and
 * the request decided anew by the changed client.
 * @throws as answerWithCode does; ClientChanged once the client has more scope
 */
async function answerAgreed(
  request: JudgedRequest,
  flowId: string | undefined,
  user: AuthorizingUser,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  const { grant, beyondRegistered } = request
  if (beyondRegistered === '') return answerWithCode(request, flowId, user, deps)
  await deps.scopeWidening?.widen(grant.clientId, beyondRegistered)
  throw new ClientChanged()
}

/** Judges a request again, as its client may make it now. The grant stays the one that was judged first. */
async function judgeAgain(
  { grant, openid, redirectUri, state, codeChallenge }: AuthorizationFlow,
  deps: AuthorizationFlowDeps,
): Promise<JudgedRequest> {
  const { clientId, scope, resources } = grant
  const request = {
    ...{ clientId, redirectUri, scope, resources, state, codeChallenge, responseType: 'code' },
    codeChallengeMethod: codeChallenge && 'S256',
  }
  const { client } = await findRequestingClient(request, deps)
  const judged = await judgeRequest(request, openid, client, deps)
  return { ...judged, grant }
}

function pendingStep(
  id: string,
  request: JudgedRequest,
  next: { step: 'log_in'; reason: LoginReason } | { step: 'ask_consent' | 'respond' },
): AuthorizationStep {
  if (next.step === 'log_in') return { step: 'log_in', pending: pendingOf(id, request, next.reason) }
  return { step: 'ask_consent', pending: pendingOf(id, request, undefined) }
}

async function endFlow(
  flow: AuthorizationFlow,
  failure: Refusal,
  { flows }: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (!(await flows.end(flow.id))) throw flowEnded()
  return { ...responseTo(flow), failure }
}
