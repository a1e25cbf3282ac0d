import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { Client } from '../clients/client-authentication.ts'
import { ClientChanged, decideByClient } from '../clients/client-change.ts'
import type { OrganizationChoice, OrganizationOfRequest } from '../organizations/organization-of-request.ts'
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
import { decideLogin, decideStep, namedOrganization } from './decided-step.ts'
import type { AuthorizingUser, NextStep, UserAnswers } from './next-step.ts'
import { readOpenidRequest, refuseUnsupported } from './openid-request.ts'
import { type PendingAuthorization, pendingOf } from './pending-authorization.ts'

/** How long an authorization request waits for its user, in seconds. */
const flowLifetime = 900

/** The choice of an organization, and for whom it counts: not for another account, nor in another session. */
export type MadeChoice = OrganizationChoice & { userId: string; sessionId: string }

/** An authorization request that waits for its user. */
export type AuthorizationFlow = Pick<
  JudgedRequest,
  'grant' | 'redirectUri' | 'state' | 'codeChallenge' | 'openid' | 'namedOrganization'
> & {
  id: string
  /** undefined until the user chose an organization. */
  organizationChoice: MadeChoice | undefined
  /** By the database's clock. */
  begunAt: Date
}

/** Stores authorization requests that wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: Omit<AuthorizationFlow, 'begunAt' | 'organizationChoice'> & { lifetime: number }): Promise<void>
  /** @returns undefined when the flow is unknown, expired or already answered */
  find(id: string): Promise<AuthorizationFlow | undefined>
  /** Keeps the user's choice of an organization, in place of an earlier one. @returns false as for `end` */
  choose(id: string, choice: MadeChoice): Promise<boolean>
  /**
   * Ends a flow without a code.
   * @returns false when the flow is unknown, expired or already answered: only one of several concurrent calls ends it
   */
  end(id: string): Promise<boolean>
}

/** The next step of an authorization request. */
export type AuthorizationStep =
  | { step: 'log_in' | 'choose_organization' | 'ask_consent'; pending: PendingAuthorization }
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
  const isConsented =
    consented?.clientId === client.clientId &&
    (consented.scope !== '' || consented.inOrganizations !== undefined)
  return client.createdBy === 'administrator' || isConsented
}

async function firstStep(
  judged: JudgedRequest,
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const { request, next, organization } = await decideStep(
    { ...judged, begunAt: user?.seenAt },
    { user, answers: {} },
    deps,
  )
  if (next.step === 'refuse') {
    if (!mayTellUnasked(request.client, user)) throw next.refusal
    return { step: 'respond', response: { ...responseTo(request), failure: next.refusal } }
  }
  if (next.step === 'respond' && user) {
    const response = dryRun
      ? { ...responseTo(request), code: '' }
      : await answerAgreed(request, undefined, { user, login: next.login }, deps)
    return { step: 'respond', response }
  }
  const id = dryRun ? '' : randomUUIDv7()
  if (!dryRun) await deps.flows.add({ ...judged, id, lifetime: flowLifetime })
  return pendingStep(id, request, { next, organization })
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
    const judged = { ...(await judgeAgain(flow, deps)), begunAt: flow.begunAt }
    const answers = { organizationChoice: choiceOf(flow, user) }
    const { request, next, organization } = await decideLogin(judged, { user, answers }, deps)
    const reason = next.step === 'log_in' ? next.reason : undefined
    const named = reason && (await namedOrganization(judged, deps))
    return pendingOf(id, request, reason, organization, named)
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
    ...sent
  }: { user: AuthorizingUser; afterForm?: boolean | undefined } & UserAnswers,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) throw flowEnded()
  return decideByClient([flow.grant], deps, async () => {
    const judged = { ...(await judgeAgain(flow, deps)), begunAt: flow.begunAt }
    // An answer to the consent page says itself of which organization the page told.
    const { organizationChoice = sent.decision ? undefined : choiceOf(flow, user) } = sent
    const answers = { ...sent, organizationChoice }
    const { request, next, organization } = await decideStep(judged, { user, answers }, deps)
    if (sent.organizationChoice && !sent.decision) await keepChoice(flow, organization, user, deps)
    if (afterForm && !answers.decision && next.step !== 'log_in' && responseTo(request).formPost)
      return pendingStep(id, request, { next: { step: 'ask_consent' }, organization })
    if (next.step === 'refuse') return { step: 'respond', response: await endFlow(flow, next.refusal, deps) }
    if (next.step !== 'respond') return pendingStep(id, request, { next, organization })
    const { clientId, scope } = request.grant
    const consent = { userId: user.userId, clientId, metadata: { scope } }
    if (answers.decision === 'denied') {
      const denied = new Refusal('access_denied', 'The user denied the request.')
      const response = await endFlow(flow, denied, deps)
      deps.emit('consent_denied', consent)
      return { step: 'respond', response }
    }
    const response = await answerAgreed(request, id, { user, login: next.login }, deps)
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
  acting: Parameters<typeof answerWithCode>[2],
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  const { grant, beyondRegistered } = request
  if (beyondRegistered === '') return answerWithCode(request, flowId, acting, deps)
  await deps.scopeWidening?.widen(grant.clientId, beyondRegistered)
  throw new ClientChanged()
}

/** Judges a request again, as its client may make it now. The grant stays the one that was judged first. */
async function judgeAgain(
  { grant, openid, redirectUri, state, codeChallenge, namedOrganization }: AuthorizationFlow,
  deps: AuthorizationFlowDeps,
): Promise<JudgedRequest> {
  const { clientId, scope, resources } = grant
  const request = {
    ...{ clientId, redirectUri, scope, resources, state, codeChallenge, responseType: 'code' },
    organization: namedOrganization,
    codeChallengeMethod: codeChallenge && 'S256',
  }
  const { client } = await findRequestingClient(request, deps)
  const judged = await judgeRequest(request, openid, client, deps)
  return { ...judged, grant }
}

function pendingStep(
  id: string,
  request: JudgedRequest,
  { next, organization }: { next: NextStep; organization: OrganizationOfRequest },
): AuthorizationStep {
  const reason = next.step === 'log_in' ? next.reason : undefined
  const pending = pendingOf(id, request, reason, organization)
  if (next.step === 'log_in' || next.step === 'choose_organization') return { step: next.step, pending }
  return { step: 'ask_consent', pending }
}

/** The choice that counts for this user in this session. */
function choiceOf(
  { organizationChoice }: AuthorizationFlow,
  user: AuthorizingUser | undefined,
): OrganizationChoice | undefined {
  const isTheirs =
    organizationChoice?.userId === user?.userId && organizationChoice?.sessionId === user?.sessionId
  return isTheirs ? organizationChoice : undefined
}

/** Keeps what a choice meant: a slug that was chosen may soon be that of another organization. */
async function keepChoice(
  { id, namedOrganization }: AuthorizationFlow,
  organization: OrganizationOfRequest,
  { userId, sessionId }: AuthorizingUser,
  { flows }: AuthorizationFlowDeps,
): Promise<void> {
  // The client's word counts more.
  if (namedOrganization !== undefined) return
  if (organization.state !== 'in' && organization.state !== 'none') return
  const organizationId = organization.state === 'in' ? organization.membership.organizationId : undefined
  if (!(await flows.choose(id, { organizationId, userId, sessionId }))) throw flowEnded()
}

async function endFlow(
  flow: AuthorizationFlow,
  failure: Refusal,
  { flows }: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (!(await flows.end(flow.id))) throw flowEnded()
  return { ...responseTo(flow), failure }
}
