import type { Refusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import type { PushedRequests } from '@gatehouse/proto/pushed-requests'
import type { Client } from '../clients/client-authentication.ts'
import { ClientChanged } from '../clients/client-change.ts'
import type { OrganizationChoice, OrganizationOfRequest } from '../organizations/organization-of-request.ts'
import { type AuthorizationResponse, answerWithCode, flowEnded, responseTo } from './authorization-answer.ts'
import type { CodeCreationDeps } from './authorization-code.ts'
import { findRequestingClient, type JudgedRequest, judgeRequest } from './authorization-request.ts'
import type { AuthorizingUser, NextStep } from './next-step.ts'
import { type PendingAuthorization, pendingOf } from './pending-authorization.ts'

/** How long an authorization request waits for its user, in seconds. */
export const flowLifetime = 900

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

/** An authorization request that will wait for its user. */
export type NewFlow = Omit<AuthorizationFlow, 'begunAt' | 'organizationChoice'> & { lifetime: number }

/** Stores authorization requests that wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: NewFlow): Promise<void>
  /**
   * Adds a flow for a request that a client pushed, which its user has yet to begin.
   * @param flow.lifetime in seconds, until the first visit
   */
  push(flow: NewFlow): Promise<void>
  /**
   * Finds a pushed flow of a client. At the first visit it begins, and waits for its user from then on.
   * @param lifetime in seconds; undefined only looks
   * @returns undefined when no such flow was pushed, or it is expired or already answered
   */
  visit(id: string, clientId: string, lifetime: number | undefined): Promise<AuthorizationFlow | undefined>
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
  /** OAUTH2_PUSHED_AUTHORIZATION_REQUESTS. */
  pushedRequests: PushedRequests
  log: Logger
}

/**
 * Whether a client may learn, without a page, that the user must do something (prompt=none). Otherwise anybody who registers a client
 * could use this server as an open redirector, and learn who is logged in.
 */
export function mayTellUnasked(client: Client, user: AuthorizingUser | undefined): boolean {
  const { consented } = user ?? {}
  const isConsented =
    consented?.clientId === client.clientId &&
    (consented.scope !== '' || consented.inOrganizations !== undefined)
  return client.createdBy === 'administrator' || isConsented
}

/**
 * Creates the code for a request to which the user agreed. If the client gets more scope with it, the client is changed first, and
 * the request decided anew by the changed client.
 * @throws as answerWithCode does; ClientChanged once the client has more scope
 */
export async function answerAgreed(
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
export async function judgeAgain(
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

/** The step that waits for the user, who is shown a page. @param id that of the flow */
export function pendingStep(
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
export function choiceOf(
  { organizationChoice }: AuthorizationFlow,
  user: AuthorizingUser | undefined,
): OrganizationChoice | undefined {
  const isTheirs =
    organizationChoice?.userId === user?.userId && organizationChoice?.sessionId === user?.sessionId
  return isTheirs ? organizationChoice : undefined
}

/** Ends a flow with an error for its client. @throws Refusal invalid_request when it is unknown, expired or already answered */
export async function endFlow(
  flow: AuthorizationFlow,
  failure: Refusal,
  { flows }: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (!(await flows.end(flow.id))) throw flowEnded()
  return { ...responseTo(flow), failure }
}
