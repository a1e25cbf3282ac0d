import type { Emit } from '@gatehouse/kit/events/emission'
import { keptIpAddress, keptUserAgent } from '@gatehouse/kit/storable'
import { createSessionSecret, digestOf, previousDigestsOf } from '../basics/secret.ts'
import type { PublicUser } from '../users/user.ts'
import { type RecordingDeps, recordLogin } from './login-history.ts'
import { type FactorOwner, type OwnerState, withSecondFactor } from './second-factor.ts'
import { type BeginningDeps, type NewSession, newSession, sessionExpiry, sessionLifetime } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** The browser in which the user proves the second factor. */
export type ProvingBrowser = {
  ipAddress: string
  userAgent: string
  previousSecret: string | undefined
  /** The marks of the users who have logged in with it before. */
  knownUsers?: readonly string[]
}

/** The known state of a login that is completed. */
type CompletingState = Pick<OwnerState, 'user' | 'methods' | 'loginMethod' | 'clientId'>

/** The needs of completing a login. */
export type CompletionDeps = Pick<BeginningDeps, 'randomBytes' | 'randomUuid' | 'now' | 'deliver'> &
  Pick<RecordingDeps, 'loginHistory'> & {
    sessions: Pick<SessionStore, 'complete' | 'raise' | 'find'>
    emit: Emit
  }

/**
 * Completes a login whose user has just proven the second factor: begins the session of a pending login, or gives a session
 * that began without the second factor a new secret, and what was proven.
 * @param proven the methods of the second factor (RFC 8176)
 * @returns undefined when the login or the session has ended, or its user was disabled or changed the password meanwhile
 */
export async function completeLogin(
  owner: FactorOwner,
  { state, proven }: { state: CompletingState; proven: readonly string[] },
  browser: ProvingBrowser,
  deps: CompletionDeps,
): Promise<NewSession | undefined> {
  const methods = withSecondFactor(state.methods, proven)
  if (owner.kind === 'session') {
    const secret = createSessionSecret(deps.randomBytes, owner.expiresAt)
    const raised = await deps.sessions.raise(owner.digest, digestOf(secret), methods)
    const session = raised ? await deps.sessions.find(digestOf(secret), undefined) : undefined
    return session && { secret, session }
  }
  const begun = await begin(owner.digest, { user: state.user, methods }, browser, deps)
  const { loginMethod: method, clientId, user } = state
  const failure = begun ? undefined : 'login_expired'
  await recordLogin({ ...browser, clientId }, { userId: user.id, method, failure }, deps)
  const metadata = { method }
  if (failure === undefined) deps.emit('user_authenticated', { userId: user.id, metadata })
  else deps.emit('user_authentication_failed', { userId: user.id, error: failure, metadata })
  return begun
}

async function begin(
  pendingDigest: Buffer,
  { user, methods }: { user: PublicUser; methods: readonly string[] },
  browser: ProvingBrowser,
  { sessions, randomBytes, randomUuid, now, deliver }: CompletionDeps,
): Promise<NewSession | undefined> {
  const secret = createSessionSecret(randomBytes, sessionExpiry(now()))
  const userAgent = keptUserAgent(browser.userAgent)
  const ipAddress = keptIpAddress(browser.ipAddress)
  const begun = await sessions.complete({
    id: randomUuid(),
    secretDigest: digestOf(secret),
    pendingDigest,
    userAgent,
    ipAddress,
    lifetime: sessionLifetime,
    methods,
    previousDigests: previousDigestsOf(browser.previousSecret),
    clientId: undefined,
  })
  if (begun === undefined) return undefined
  const { revocationIds, ...stored } = begun
  await deliver(...revocationIds)
  return newSession(secret, { user, userAgent, ipAddress, methods, ...stored })
}
