import { randomUUIDv7 } from 'node:crypto'
import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import { readConsentedScope } from '@gatehouse/proto/consented-scope'
import { type CodeCreationDeps, createCode } from './authorization-code.ts'
import {
  type AuthorizationRequest,
  type CheckedRequest,
  checkAuthorizationRequest,
} from './authorization-request.ts'
import { ClientChanged, decideByClient } from './client-change.ts'
import {
  consentScopeOf,
  identifiersOf,
  type RequestedResource,
  requestedResources,
} from './resource-indicators.ts'

/** How long an authorization request waits for its user, in seconds. */
const flowLifetime = 900

/** A checked authorization request that waits for its user. */
export type AuthorizationFlow = {
  id: string
  clientId: string
  redirectUri: string
  /** The requested scope, space-separated. */
  scope: string
  /** undefined when the client sent none. */
  state: string | undefined
  /** Of the method S256. */
  codeChallenge: string
  /** The identifiers of the resource servers for which tokens will be asked. */
  resources: readonly string[]
}

/** Stores authorization requests that wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: AuthorizationFlow & { lifetime: number }): Promise<void>
  /** @returns undefined when the flow is unknown, expired or already answered */
  find(id: string): Promise<AuthorizationFlow | undefined>
  /**
   * Ends a flow without a code.
   * @returns false when the flow is unknown, expired or already answered: only one of several concurrent calls ends it
   */
  end(id: string): Promise<boolean>
}

/** A user who is logged in. */
export type AuthorizingUser = {
  userId: string
  username: string
  /** When the user was last seen logged in, by the database's clock. */
  seenAt: Date | undefined
  /** What the user has already allowed a client, as consents remember it. */
  consented: { clientId: string; scope: string } | undefined
}

/** The user's answer to the consent page; undefined when they were not asked. */
export type ConsentDecision = 'allowed' | 'denied' | undefined

/** The answer to the client (RFC 6749 section 4.1.2). */
export type AuthorizationResponse = Pick<AuthorizationFlow, 'clientId' | 'redirectUri' | 'state'> &
  ({ code: string } | { failure: Refusal })

/** A waiting authorization request, as pages show it. */
export type PendingAuthorization = Omit<AuthorizationFlow, 'state' | 'codeChallenge' | 'resources'> & {
  clientName: string
  resources: RequestedResource[]
  /** What the consent remembers if the user agrees. */
  consentScope: string
}

/** The next step of an authorization request. */
export type AuthorizationStep =
  | { step: 'log_in' | 'ask_consent'; pending: PendingAuthorization }
  | { step: 'respond'; response: AuthorizationResponse }

/** What processing authorization requests needs. */
export type AuthorizationFlowDeps = CodeCreationDeps & { flows: AuthorizationFlowStore; log: Logger }

/**
 * The next step of a checked request.
 * @param user undefined when nobody is logged in
 */
export function nextStep(
  { client, scope, target, consent }: CheckedRequest,
  user: AuthorizingUser | undefined,
  decision: ConsentDecision,
): AuthorizationStep['step'] {
  if (user === undefined) return 'log_in'
  if (decision !== undefined || consent === 'not_needed') return 'respond'
  const { consented } = user
  if (consent === 'each_time' || consented?.clientId !== client.clientId) return 'ask_consent'
  return includes(consented.scope, consentScopeOf(scope, target)) ? 'respond' : 'ask_consent'
}

/** Whether a consent has everything that another one has. */
function includes(consented: string, wanted: string): boolean {
  const [has, needs] = [readConsentedScope(consented), readConsentedScope(wanted)]
  const covers = (allowed: ReadonlySet<string> | undefined, words: ReadonlySet<string>) =>
    [...words].every((word) => allowed?.has(word))
  const resources = [...needs.ofResources]
  return (
    covers(has.own, needs.own) && resources.every(([one, words]) => covers(has.ofResources.get(one), words))
  )
}

/**
 * Checks an authorization request and returns its next step. Unless that step is the response, it stores the request.
 * @param request.state is returned to the client unchanged
 * @param dryRun stores nothing and creates no code
 * @throws Refusal as checkAuthorizationRequest does
 */
export function beginAuthorization(
  request: AuthorizationRequest & { state: string | undefined },
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  return decideByClient([request], deps, async () => {
    const checked = await checkAuthorizationRequest(request, deps)
    const { clientId, redirectUri, state, codeChallenge } = request
    const resources = identifiersOf(checked.target)
    const asked = { clientId, redirectUri, scope: checked.scope, state, codeChallenge, resources }
    const step = nextStep(checked, user, undefined)
    if (step === 'respond' && user) {
      const response = dryRun
        ? { clientId, redirectUri, state, code: '' }
        : await respond({ ...asked, id: undefined }, checked, user, deps)
      return { step, response }
    }
    const flow = { ...asked, id: dryRun ? '' : randomUUIDv7() }
    if (!dryRun) await deps.flows.add({ ...flow, lifetime: flowLifetime })
    return { step: user ? 'ask_consent' : 'log_in', pending: pendingOf(flow, checked) }
  })
}

/**
 * Finds an authorization request that waits for its user.
 * @returns undefined when it is unknown, expired or already answered
 * @throws Refusal as checkAuthorizationRequest does, when the client may no longer make this request
 */
export async function findAuthorization(
  id: string,
  deps: AuthorizationFlowDeps,
): Promise<PendingAuthorization | undefined> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) return undefined
  const show = async () => pendingOf(flow, await checkAuthorizationRequest(requestOf(flow), deps))
  return decideByClient([flow], deps, show)
}

/**
 * Returns the next step after the user has logged in or decided. It checks the request again, because the client may have
 * changed since the request began.
 * @throws Refusal as checkAuthorizationRequest does; invalid_request when the flow is unknown, expired or already answered
 */
export async function continueAuthorization(
  id: string,
  { user, decision }: { user: AuthorizingUser; decision: ConsentDecision },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) throw flowEnded()
  return decideByClient([flow], deps, async () => {
    const checked = await checkAuthorizationRequest(requestOf(flow), deps)
    const step = nextStep(checked, user, decision)
    if (step !== 'respond') return { step, pending: pendingOf(flow, checked) }
    if (decision === 'denied') return { step, response: await deny(flow, user, deps) }
    const response = await respond(flow, checked, user, deps)
    if (decision === 'allowed' && 'code' in response) {
      const { clientId, scope } = flow
      deps.emit('consent_granted', { userId: user.userId, clientId, metadata: { scope } })
    }
    return { step, response }
  })
}

function requestOf({ id: _, state: __, ...flow }: AuthorizationFlow): AuthorizationRequest {
  return { ...flow, responseType: 'code', codeChallengeMethod: 'S256' }
}

function pendingOf(
  { id, clientId, redirectUri, scope }: AuthorizationFlow,
  { client: { clientName }, target }: CheckedRequest,
): PendingAuthorization {
  const resources = requestedResources(scope, target)
  return {
    id,
    clientId,
    clientName,
    redirectUri,
    scope,
    resources,
    consentScope: consentScopeOf(scope, target),
  }
}

function flowEnded(): Refusal {
  return new Refusal(
    'invalid_request',
    'This page was answered already or is too old. Go back to the app and start again if it still needs access.',
  )
}

async function deny(
  { id, clientId, scope, redirectUri, state }: AuthorizationFlow,
  { userId }: AuthorizingUser,
  { flows, emit }: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  if (!(await flows.end(id))) throw flowEnded()
  emit('consent_denied', { userId, clientId, metadata: { scope } })
  return {
    clientId,
    redirectUri,
    state,
    failure: new Refusal('access_denied', 'The user denied the request.'),
  }
}

/** A request to be answered. The id is undefined when it did not have to wait. */
type AnswerableRequest = Omit<AuthorizationFlow, 'id'> & { id: string | undefined }

/**
 * Creates the code. The user has authorized the client by now, so failures go to the client's redirect URI (RFC 6749 section
 * 4.1.2.1).
 */
async function respond(
  { id, clientId, redirectUri, state, ...asked }: AnswerableRequest,
  { client }: CheckedRequest,
  user: AuthorizingUser,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  try {
    const grant = { ...asked, client, redirectUri, flowId: id }
    const code = await createCode(grant, user, deps)
    if (code === undefined) throw flowEnded()
    return { clientId, redirectUri, state, code }
  } catch (error) {
    const failure = toRefusal(error)
    if (error instanceof ClientChanged || failure.code === 'invalid_request') throw error
    deps.log[failure.code === 'server_error' ? 'error' : 'warn'](
      { err: error, code: failure.code },
      'could not create an authorization code',
    )
    return { clientId, redirectUri, state, failure }
  }
}
