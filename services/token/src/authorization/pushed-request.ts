import { randomUUID } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import { isStorable } from '@gatehouse/kit/storable'
import { idInRequestUri, pushedRequestLifetime, requestUriOf } from '@gatehouse/proto/pushed-requests'
import { type ClientIdentificationDeps, isPublic, type Presented } from '../clients/client-authentication.ts'
import { type CurrentClientDeps, decideByClient } from '../clients/client-change.ts'
import { identifyClient } from '../clients/sender.ts'
import { responseTo } from './authorization-answer.ts'
import { judgeSent } from './authorization-flow.ts'
import { findRequestingClient, mayRedirect, type SentRequest } from './authorization-request.ts'
import { decideStep } from './decided-step.ts'
import type { AuthorizingUser } from './next-step.ts'
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

/** A pushed request, as its client sends it on (RFC 9126 section 2.2). */
export type PushedRequest = {
  requestUri: string
  /** In seconds: how long it waits for the first visit. */
  expiresIn: number
}

/** The needs of pushed requests. */
export type PushedRequestDeps = AuthorizationFlowDeps & ClientIdentificationDeps & CurrentClientDeps

/**
 * Keeps an authorization request of a client that authenticates (RFC 9126). It is judged as it would be in a browser, so that the client
 * learns at once of what is wrong.
 * @throws Refusal invalid_client, not_found where pushed requests are off, and as beginAuthorization does; invalid_request for a request of
 *   another client or with a request_uri
 */
export async function pushAuthorization(
  sent: SentRequest,
  { presented, ipAddress }: { presented: Presented; ipAddress: string },
  deps: PushedRequestDeps,
): Promise<PushedRequest> {
  if (deps.pushedRequests === 'off') throw new Refusal('not_found')
  for (const { clientId } of presented.credentials) await deps.readClientIdDocument(clientId, ipAddress)
  return decideByClient(presented.credentials, deps, async () => {
    const { client: sender, proof } = await identifyClient(presented, { ...deps, endpoint: 'pushed request' })
    if (proof) await deps.proofs.spend(proof)
    if (sent.requestUri) throw new Refusal('invalid_request', 'A pushed request cannot have a request_uri.')
    if (sent.clientId && sent.clientId !== sender.clientId)
      throw new Refusal('invalid_request', 'The client_id is not that of the client that authenticates.')
    const { clientId } = sender
    const { client, redirectUri } = await findRequestingClient({ ...sent, clientId }, deps)
    const judged = await judgeSent({ ...sent, clientId, redirectUri }, client, deps)
    // Not of version 7: RFC 9126 section 7.1 wants more random bits than those have.
    const id = randomUUID()
    await deps.flows.push({ ...judged, id, lifetime: pushedRequestLifetime })
    if (!isPublic(client)) deps.emit('client_validated', { clientId, metadata: {} })
    return { requestUri: requestUriOf(id), expiresIn: pushedRequestLifetime }
  })
}

/**
 * Returns the next step of a pushed request, whose other parameters are ignored (RFC 9126 section 4). It may be visited again until it is
 * answered, because browsers reload pages. It is judged again, because the client may have changed meanwhile.
 * @param dryRun begins nothing and creates no code
 * @throws Refusal invalid_request_uri for a request that is unknown, of another client, expired or already answered; else as
 *   continueAuthorization does
 */
export async function visitPushedRequest(
  { clientId = '', requestUri = '' }: Pick<SentRequest, 'clientId' | 'requestUri'>,
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const id = idInRequestUri(requestUri) ?? ''
  const lifetime = dryRun ? undefined : flowLifetime
  const flow = isStorable(clientId) ? await deps.flows.visit(id, clientId, lifetime) : undefined
  if (flow === undefined) throw new Refusal('invalid_request_uri')
  return decideByClient([flow.grant], deps, async () => {
    const { client } = await findRequestingClient({ clientId, redirectUri: flow.redirectUri }, deps)
    try {
      return await stepOf(flow, { user, dryRun }, deps)
    } catch (error) {
      if (dryRun || !mayRedirect(error, client, deps)) throw error
      return { step: 'respond', response: await endFlow(flow, error, deps) }
    }
  })
}

async function stepOf(
  flow: AuthorizationFlow,
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const judged = { ...(await judgeAgain(flow, deps)), begunAt: flow.begunAt }
  const answers = { organizationChoice: choiceOf(flow, user) }
  const { request, next, organization } = await decideStep(judged, { user, answers }, deps)
  if (next.step === 'refuse') {
    if (!mayTellUnasked(request.client, user)) throw next.refusal
    const response = dryRun
      ? { ...responseTo(request), failure: next.refusal }
      : await endFlow(flow, next.refusal, deps)
    return { step: 'respond', response }
  }
  if (next.step !== 'respond' || user === undefined)
    return pendingStep(flow.id, request, { next, organization })
  const response = dryRun
    ? { ...responseTo(request), code: '' }
    : await answerAgreed(request, flow.id, { user, login: next.login }, deps)
  return { step: 'respond', response }
}
