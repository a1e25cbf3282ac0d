import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client-authentication.ts'
import { decideByClient } from '../clients/client-change.ts'
import type { OrganizationOfRequest } from '../organizations/organization-of-request.ts'
import { checkResponseMode, flowEnded, responseTo, responseToFaulty } from './authorization-answer.ts'
import {
  type AuthorizationRequestDeps,
  type ClientsRequest,
  checkResponseType,
  findRequestingClient,
  type JudgedRequest,
  judgeRequest,
  mayRedirect,
  type SentRequest,
} from './authorization-request.ts'
import { decideLogin, decideStep, namedOrganization } from './decided-step.ts'
import type { AuthorizingUser, UserAnswers } from './next-step.ts'
import { readOpenidRequest, refuseUnsupported } from './openid-request.ts'
import { type PendingAuthorization, pendingOf } from './pending-authorization.ts'
import {
  type AuthorizationFlow,
  type AuthorizationFlowDeps,
  type AuthorizationStep,
  answerAgreed,
  choiceOf,
  endFlow,
  flowLifetime,
  judgeAgain,
  mayTellUnasked,
  pendingStep,
} from './waiting-flow.ts'

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
      const judged = await judgeSent(request, client, deps)
      if (deps.pushedRequests === 'required' || client.metadata.require_pushed_authorization_requests) {
        throw new Refusal(
          'invalid_request',
          'The client must push its authorization requests and send their request_uri (RFC 9126).',
        )
      }
      return await firstStep(judged, { user, dryRun }, deps)
    } catch (error) {
      if (!mayRedirect(error, client, deps)) throw error
      return { step: 'respond', response: { ...responseToFaulty(request, deps), failure: error } }
    }
  })
}

/**
 * Judges a request with all parameters that were sent, whichever way it came.
 * @throws Refusal as judgeRequest and readOpenidRequest do
 */
export async function judgeSent(
  request: ClientsRequest,
  client: Client,
  deps: Pick<AuthorizationFlowDeps, keyof AuthorizationRequestDeps>,
): Promise<JudgedRequest> {
  // Before the other parameters of OpenID Connect: which of them a request may have depends on it.
  if (deps.openid) {
    refuseUnsupported(request.openid)
    checkResponseType(request.responseType, deps)
  }
  const openid = deps.openid && (await readOpenidRequest(request.openid, deps.openid))
  checkResponseMode(request.redirectUri, openid)
  return judgeRequest(request, openid, client, deps)
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
