import { randomUUIDv7 } from 'node:crypto'
import { Refusal, toRefusal } from '@gatehouse/kit/errors'
import type { Logger } from '@gatehouse/kit/log'
import { type CodeCreationDeps, createCode } from './authorization-code.ts'
import {
  type AuthorizationRequest,
  type CheckedRequest,
  checkAuthorizationRequest,
} from './authorization-request.ts'
import { ClientChanged, decideByClient } from './client-change.ts'

/** How long an authorization request waits for its user, in seconds. */
const flowLifetime = 900

/** An authorization request that was judged and waits for its user. */
export type AuthorizationFlow = {
  id: string
  clientId: string
  redirectUri: string
  /** What the user is asked for, space-separated. */
  scope: string
  /** Undefined: the client sent none. */
  state: string | undefined
  /** Of the method S256. */
  codeChallenge: string
}

/** Where authorization requests wait for their users. */
export type AuthorizationFlowStore = {
  /** @param flow.lifetime in seconds */
  add(flow: AuthorizationFlow & { lifetime: number }): Promise<void>
  /** @returns undefined where it is unknown, over or answered */
  find(id: string): Promise<AuthorizationFlow | undefined>
  /**
   * Ends one without a code.
   * @returns false where it is unknown, over or answered: of many who end it at once, one does
   */
  end(id: string): Promise<boolean>
}

/** A user who is logged in. */
export type AuthorizingUser = {
  userId: string
  username: string
  /** When they were seen to be logged in, by the database's clock. */
  seenAt: Date | undefined
  /** What they have allowed a client so far, space-separated. */
  consented: { clientId: string; scope: string } | undefined
}

/** What a user has just answered to the question for consent; undefined: they were not asked. */
export type ConsentDecision = 'allowed' | 'denied' | undefined

/** The answer to the client (RFC 6749 section 4.1.2). */
export type AuthorizationResponse = Pick<AuthorizationFlow, 'clientId' | 'redirectUri' | 'state'> &
  ({ code: string } | { failure: Refusal })

/** An authorization request that waits, as pages show it. */
export type PendingAuthorization = Omit<AuthorizationFlow, 'state' | 'codeChallenge'> & { clientName: string }

/** What comes next for an authorization request. */
export type AuthorizationStep =
  | { step: 'log_in' | 'ask_consent'; pending: PendingAuthorization }
  | { step: 'respond'; response: AuthorizationResponse }

/** What taking authorization requests from step to step needs. */
export type AuthorizationFlowDeps = CodeCreationDeps & { flows: AuthorizationFlowStore; log: Logger }

/**
 * What comes next for a request that was judged.
 * @param user undefined: nobody is logged in
 */
export function nextStep(
  { client, scope, consent }: CheckedRequest,
  user: AuthorizingUser | undefined,
  decision: ConsentDecision,
): AuthorizationStep['step'] {
  if (user === undefined) return 'log_in'
  if (decision !== undefined || consent === 'not_needed') return 'respond'
  const { consented } = user
  if (consent === 'each_time' || consented?.clientId !== client.clientId) return 'ask_consent'
  const allowed = new Set(consented.scope.split(' '))
  return scope.split(' ').every((word) => allowed.has(word)) ? 'respond' : 'ask_consent'
}

/**
 * Judges an authorization request and says what comes next. Unless that is the answer, the request is kept.
 * @param request.state goes back to the client unchanged
 * @param dryRun nothing is kept or made
 * @throws Refusal as checkAuthorizationRequest
 */
export function beginAuthorization(
  request: AuthorizationRequest & { state: string | undefined },
  { user, dryRun }: { user: AuthorizingUser | undefined; dryRun: boolean },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  return decideByClient([request], deps, async () => {
    const checked = await checkAuthorizationRequest(request, deps)
    const { clientId, redirectUri, state, codeChallenge } = request
    const asked = { clientId, redirectUri, scope: checked.scope, state, codeChallenge }
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
 * An authorization request that waits for its user.
 * @returns undefined where it is unknown, over or answered
 * @throws Refusal as checkAuthorizationRequest, where the client may no longer ask for this
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
 * Says what comes next after the user has logged in or decided. The request is judged again: what was good when they began to log
 * in may not be so now.
 * @throws Refusal as checkAuthorizationRequest; invalid_request where the flow is unknown, over or answered
 */
export async function continueAuthorization(
  id: string,
  { user, decision }: { user: AuthorizingUser; decision: ConsentDecision },
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationStep> {
  const flow = await deps.flows.find(id)
  if (flow === undefined) throw flowOver()
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

function requestOf({ clientId, redirectUri, scope, codeChallenge }: AuthorizationFlow): AuthorizationRequest {
  const fixed = { responseType: 'code', codeChallengeMethod: 'S256' }
  return { ...fixed, clientId, redirectUri, scope, codeChallenge }
}

function pendingOf(
  { id, clientId, redirectUri, scope }: AuthorizationFlow,
  { client: { clientName } }: CheckedRequest,
): PendingAuthorization {
  return { id, clientId, clientName, redirectUri, scope }
}

function flowOver(): Refusal {
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
  if (!(await flows.end(id))) throw flowOver()
  emit('consent_denied', { userId, clientId, metadata: { scope } })
  return {
    clientId,
    redirectUri,
    state,
    failure: new Refusal('access_denied', 'The user denied the request.'),
  }
}

/** A request that gets its answer; without an id it did not have to wait. */
type AnswerableRequest = Omit<AuthorizationFlow, 'id'> & { id: string | undefined }

/**
 * Makes the code. From here on the user has agreed, so the client is told of failures at its redirect URI (RFC 6749 section
 * 4.1.2.1).
 */
async function respond(
  { id, clientId, redirectUri, state, scope, codeChallenge }: AnswerableRequest,
  { client }: CheckedRequest,
  user: AuthorizingUser,
  deps: AuthorizationFlowDeps,
): Promise<AuthorizationResponse> {
  try {
    const grant = { client, redirectUri, scope, codeChallenge, flowId: id }
    const code = await createCode(grant, user, deps)
    if (code === undefined) throw flowOver()
    return { clientId, redirectUri, state, code }
  } catch (error) {
    const failure = toRefusal(error)
    if (error instanceof ClientChanged || failure.code === 'invalid_request') throw error
    deps.log[failure.code === 'server_error' ? 'error' : 'warn'](
      { err: error, code: failure.code },
      'no code could be made',
    )
    return { clientId, redirectUri, state, failure }
  }
}
