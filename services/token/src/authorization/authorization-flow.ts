import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Client } from '../clients/client-authentication.ts'
import { ClientChanged, decideByClient } from '../clients/client-change.ts'
import { identifiersOf } from '../clients/resource-indicators.ts'
import {
  type AnswerableRequest,
  type AuthorizationResponse,
  answeredBy,
  answerWithCode,
  checkResponseMode,
  flowEnded,
  refusedResponse,
  responseTo,
} from './authorization-answer.ts'
import type { CodeCreationDeps } from './authorization-code.ts'
import {
  type AuthorizationRequest,
  type CheckedRequest,
  checkAuthorizationRequest,
  checkResponseType,
  findRequestingClient,
  mayRedirect,
  type SentAuthorizationRequest,
} from './authorization-request.ts'
import { type AuthorizingUser, type LoginReason, nextStep, type UserAnswers } from './next-step.ts'
import {
  type OpenidRequest,
  openidRequestOf,
  readOpenidRequest,
  refuseUnsupported,
} from './openid-request.ts'
import { type PendingAuthorization, pendingOf } from './pending-authorization.ts'

/** How long an authorization request waits for its user, in seconds. */
const flowLifetime = 900

/** A checked authorization request that waits for its user. */
export type AuthorizationFlow = AnswerableRequest & { id: string }

/** Stores authorization requests that wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: AuthorizationFlow & { lifetime: number }): Promise<void>
  /** @returns undefined when the flow is unknown, expired or already answered */
  find(id: string): Promise<StoredFlow | undefined>
  /**
   * Ends a flow without a code.
   * @returns false when the flow is unknown, expired or already answered: only one of several concurrent calls ends it
   */
  end(id: string): Promise<boolean>
}

/** A flow with the time when it began, by the database's clock. */
export type StoredFlow = AuthorizationFlow & { begunAt: Date }

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

/** A request as far as it is known before it is stored. */
type ReceivedFlow = Omit<AuthorizationFlow, 'id' | 'openid' | 'scope' | 'resources'>

/**
 * Checks an authorization request and returns its next step. Unless that step is the response, it stores the request.
 * @param request.state is returned to the client unchanged
 * @param dryRun stores nothing and creates no code
 * @param ipAddress the address of the user's browser
 * @throws Refusal as findRequestingClient does, and as checkAuthorizationRequest and readOpenidRequest do where their errors
 *   do not go to the redirect URI; invalid_client for a client whose metadata document cannot be used
 */
export async function beginAuthorization(
  request: SentAuthorizationRequest & { state: string | undefined },
  {
    user,
    dryRun,
    ipAddress,
  }: { user: AuthorizingUser | undefined; dryRun: boolean; ipAddress?: string | undefined },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const { clientId, redirectUri, state, codeChallenge } = request
  const received = { clientId, redirectUri, state, codeChallenge }
  await deps.readClientIdDocument(clientId, ipAddress)
  return decideByClient([request], deps, async () => {
    const client = await findRequestingClient(request, deps)
    try {
      // Before the other parameters of OpenID Connect: which of them a request may have depends on it.
      if (deps.openid) {
        refuseUnsupported(request.openid)
        checkResponseType(request.responseType, deps)
      }
      const sent = deps.openid && (await readOpenidRequest(request.openid, deps.openid))
      checkResponseMode({ ...received, openid: sent })
      const asked = { ...request, nonce: sent?.nonce }
      const checked = withOpenid(sent, await checkAuthorizationRequest(asked, client, deps))
      return await firstStep(received, checked, { user, dryRun }, deps)
    } catch (error) {
      if (!mayRedirect(error, client, deps)) throw error
      return {
        step: 'respond',
        response: refusedResponse(
          { ...received, openid: answeredBy(request.openid.response_mode, redirectUri, deps) },
          error,
        ),
      }
    }
  })
}

/**
 * Whether a client may learn, without a page, that the user must do something (prompt=none). Otherwise anybody who registers a client
 * could use this server as an open redirector, and learn who is logged in.
 */
function mayTellUnasked(client: Client, user: AuthorizingUser | undefined): boolean {
  const { consented } = user ?? {}
  return client.madeByAdministrator || (consented?.clientId === client.clientId && consented.scope !== '')
}

async function firstStep(
  received: ReceivedFlow,
  checked: CheckedRequest,
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const { scope, openid } = checked
  const asked = { ...received, scope, openid, resources: identifiersOf(checked.target) }
  const next = nextStep({ ...checked, begunAt: user?.seenAt }, user, {})
  if (next.step === 'refuse') {
    if (!mayTellUnasked(checked.client, user)) throw next.refusal
    return { step: 'respond', response: refusedResponse(asked, next.refusal) }
  }
  if (next.step === 'respond' && user) {
    const response = dryRun
      ? { ...responseTo(asked), code: '' }
      : await answerAgreed({ ...asked, id: undefined }, checked, user, deps)
    return { step: 'respond', response }
  }
  const flow = { ...asked, id: dryRun ? '' : randomUUIDv7() }
  if (!dryRun) await deps.flows.add({ ...flow, lifetime: flowLifetime })
  return pendingStep(flow, checked, next)
}

/**
 * Finds an authorization request that waits for its user.
 * @param user undefined when nobody is logged in
 * @returns undefined when it is unknown, expired or already answered
 * @throws Refusal as findRequestingClient and checkAuthorizationRequest do, when the client may no longer make this request
 */
export async function findAuthorization(
  id: string,
  deps: AuthorizationFlowDeps,
  user?: AuthorizingUser,
): Promise<PendingAuthorization | undefined> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) return undefined
  return decideByClient([flow], deps, async () => {
    const checked = await checkAgain(flow, deps)
    const next = nextStep({ ...checked, begunAt: flow.begunAt }, user, {})
    return pendingOf(flow, checked, next.step === 'log_in' ? next.reason : undefined)
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
  return decideByClient([flow], deps, async () => {
    const checked = await checkAgain(flow, deps)
    const next = nextStep({ ...checked, begunAt: flow.begunAt }, user, answers)
    if (afterForm && !answers.decision && next.step !== 'log_in' && responseTo(flow).formPost)
      return pendingStep(flow, checked, { step: 'ask_consent' })
    if (next.step === 'refuse') return { step: 'respond', response: await endFlow(flow, next.refusal, deps) }
    if (next.step !== 'respond') return pendingStep(flow, checked, next)
    const consent = { userId: user.userId, clientId: flow.clientId, metadata: { scope: flow.scope } }
    if (answers.decision === 'denied') {
      const denied = new Refusal('access_denied', 'The user denied the request.')
      const response = await endFlow(flow, denied, deps)
      deps.emit('consent_denied', consent)
      return { step: 'respond', response }
    }
    const response = await answerAgreed(flow, checked, user, deps)
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
  asked: AnswerableRequest & { id: string | undefined },
  checked: CheckedRequest,
  user: AuthorizingUser,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (checked.beyondRegistered === '') return answerWithCode(asked, checked, user, deps)
  await deps.scopeWidening?.widen(asked.clientId, checked.beyondRegistered)
  throw new ClientChanged()
}

async function checkAgain(flow: AuthorizationFlow, deps: AuthorizationFlowDeps): Promise<CheckedRequest> {
  const request = requestOf(flow)
  const client = await findRequestingClient(request, deps)
  return withOpenid(flow.openid, await checkAuthorizationRequest(request, client, deps))
}

/** A checked request with its parameters of OpenID Connect, as far as the client may have them now. */
function withOpenid(
  openid: OpenidRequest | undefined,
  checked: Omit<CheckedRequest, 'openid'>,
): CheckedRequest {
  const { client, beyondRegistered } = checked
  return {
    ...checked,
    openid: openid && openidRequestOf(openid, client, `${client.scope} ${beyondRegistered}`),
  }
}

function requestOf({ id: _, state: __, openid, ...flow }: AuthorizationFlow): AuthorizationRequest {
  const codeChallengeMethod = flow.codeChallenge === '' ? '' : 'S256'
  return { ...flow, responseType: 'code', codeChallengeMethod, nonce: openid?.nonce }
}

function pendingStep(
  flow: AuthorizationFlow,
  checked: CheckedRequest,
  next: { step: 'log_in'; reason: LoginReason } | { step: 'ask_consent' | 'respond' },
): AuthorizationStep {
  if (next.step === 'log_in') return { step: 'log_in', pending: pendingOf(flow, checked, next.reason) }
  return { step: 'ask_consent', pending: pendingOf(flow, checked, undefined) }
}

async function endFlow(
  flow: AuthorizationFlow,
  failure: Refusal,
  { flows }: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (!(await flows.end(flow.id))) throw flowEnded()
  return refusedResponse(flow, failure)
}
