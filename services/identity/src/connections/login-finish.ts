import { Refusal } from '@gatehouse/kit/errors'
import type { JWK } from 'openid-client'
import { digestOf } from '../basics/secret.ts'
import type { ConnectionLogin } from '../logins/connection-login.ts'
import { type RecordingDeps, recordLogin, recordUnknownLogin } from '../logins/login-history.ts'
import { beginMemberSession } from '../logins/member-session.ts'
import type { NewPendingLogin } from '../logins/pending-login.ts'
import { beginSession, type NewSession } from '../logins/session.ts'
import { presentedLogin } from '../providers/login-secrets.ts'
import { ProviderFailure, type SocialPerson } from '../providers/social-provider.ts'
import type { PublicUser } from '../users/user.ts'
import { admit, arrivalOf } from './admission.ts'
import type { Arrival } from './arrival.ts'
import type { ConnectionLoginDeps, ConnectionProblem } from './connection-login.ts'
import { userFor } from './login-begin.ts'
import { isOpen, type LoginConnection } from './login-connection.ts'
import { type LoginTest, testLogin } from './login-test.ts'
import type { PendingConnectionLogin } from './pending-connection-login.ts'
import { checkPerson, type UpstreamPerson } from './upstream-person.ts'

/** The data that a browser brings back from a provider. */
export type ConnectionCallback = {
  connectionId: string
  /** Unchanged. */
  query: string
  /** The secrets of what this browser began. */
  browserSecrets: readonly string[]
  ipAddress: string
  userAgent: string
  /** The secret of the browser's session; undefined for none. */
  previousSecret: string | undefined
  knownUsers?: readonly string[] | undefined
}

/** The result of what finished. */
export type FinishedConnectionLogin =
  | {
      outcome: 'right'
      session: NewSession
      created: boolean
      organizationId: string | undefined
      organizationSlug: string | undefined
    }
  | { outcome: 'second factor'; pending: NewPendingLogin }
  | { outcome: 'linked'; displayName: string }
  | { outcome: 'test'; test: LoginTest }
  | { outcome: ConnectionProblem; detail?: string }

/** How often somebody is judged, when the connection is changed at the same time. */
const tries = 3

type Pending = PendingConnectionLogin & { begunAt: Date }

/**
 * Finishes a login, a link or a try with the provider's answer. Somebody is who their provider says by its issuer and `sub`: neither an
 * address nor a name leads to an existing user. A login is recorded.
 */
export async function finishConnectionLogin(
  callback: ConnectionCallback,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin & { returnTo: string | undefined; name: string }> {
  const { query, connectionId } = callback
  const presented = deps.isOn ? presentedLogin(query, callback.browserSecrets) : undefined
  const pending =
    presented && (await deps.connectionLogins.take(presented.stateDigest, presented.browserDigests))
  if (presented === undefined || pending === undefined) {
    await recordUnknownLogin(callback, connectionId, deps)
    return { outcome: 'unknown login', returnTo: undefined, name: '' }
  }
  const { returnTo } = pending
  // A mix-up attack brings one provider's answer to another's callback to get the code (RFC 9700 section 4.4).
  if (pending.connectionId !== connectionId) {
    const line = { connection: connectionId, begun: pending.connectionId }
    deps.log.warn(line, 'a login by a connection came back to another one')
    await record(callback, pending, { userId: undefined, failure: 'unknown_login' }, deps)
    return { outcome: 'unknown login', returnTo, name: '' }
  }
  const connection = await deps.loginConnections.find(connectionId)
  if (connection === undefined || (pending.purpose !== 'test' && !isOpen(connection))) {
    await record(callback, pending, { userId: undefined, failure: 'no_connection' }, deps)
    return { outcome: 'no connection', returnTo, name: '' }
  }
  const finished = await finish(callback, { connection, pending, state: presented.state }, deps)
  deps.counted(connection.kind, finished.outcome)
  return { ...finished, returnTo, name: connection.name }
}

/** A callback's connection, and the login under way that it belongs to. */
type Coming = { connection: LoginConnection; pending: Pending; state: string }

async function finish(
  callback: ConnectionCallback,
  coming: Coming,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin> {
  const { connectionId, kind } = coming.connection
  try {
    const said = await answerOf(callback, coming, deps)
    return await judge(callback, coming, said, deps)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const line = { connection: connectionId, kind, detail: error.message }
    if (error.kind === 'denied') deps.log.info(line, 'a login by a connection was denied')
    else deps.log.warn(line, 'a login by a connection failed')
    // Everybody else who comes back is a stranger to how the connection is set up.
    if (coming.pending.purpose === 'test') return { outcome: error.kind, detail: error.message }
    return refuse(callback, coming, error.kind, deps)
  }
}

/**
 * Judges somebody by the connection as it is when the result is stored: a change that is made meanwhile must count.
 * @throws ProviderFailure; Refusal temporarily_unavailable if it is changed again and again
 */
async function judge(
  callback: ConnectionCallback,
  { connection: first, ...begun }: Coming,
  said: SocialPerson,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin> {
  let connection: LoginConnection | undefined = first
  for (let time = 1; time <= tries; time += 1) {
    const coming = { ...begun, connection }
    const { pending } = coming
    const person = checkPerson(said, connection, pending, deps.now())
    const arrival = await arrivalOf(person, connection, callback, deps)
    const finished = await works[pending.purpose](callback, coming, { person, arrival }, deps)
    if (finished !== 'changed') return finished
    connection = await deps.loginConnections.find(connection.connectionId)
    const isSame = connection?.clientId === first.clientId && connection.issuer === first.issuer
    // Another client or issuer is not the one that was asked.
    if (connection === undefined || !isSame || !isOpen(connection))
      return refuse(callback, coming, 'no connection', deps)
  }
  throw new Refusal('temporarily_unavailable', undefined, {
    detail: 'a connection was changed again and again during a login',
  })
}

/** Somebody who came, as a connection was then. */
type Judged = { person: UpstreamPerson; arrival: Arrival }

const works = { login: enter, link, test: tryOut }

async function enter(
  callback: ConnectionCallback,
  coming: Coming,
  { person, arrival }: Judged,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin | 'changed'> {
  const admitted = await admit(arrival, person.name, deps)
  if (!('problem' in admitted)) {
    await deps.deliver(...admitted.revocationIds)
    return logIn(callback, coming, { person, ...admitted }, deps)
  }
  const { problem } = admitted
  return problem === 'changed' ? problem : refuse(callback, coming, problem, deps)
}

/** The provider's word on the person who logged in there. @throws ProviderFailure */
async function answerOf(
  { query }: ConnectionCallback,
  { connection, pending, state }: Coming,
  deps: Pick<ConnectionLoginDeps, 'providers' | 'encryption'>,
): Promise<SocialPerson> {
  const provider = await deps.providers.of(connection)
  const { nonce, codeVerifier, proofKey: sealed } = pending
  const proofKey = sealed === undefined ? undefined : openProofKey(sealed, connection, deps)
  return provider.person(query, { state, nonce, codeVerifier, proofKey })
}

function openProofKey(
  sealed: Buffer,
  { connectionId }: LoginConnection,
  { encryption }: Pick<ConnectionLoginDeps, 'encryption'>,
): JWK {
  if (encryption === undefined)
    throw new ProviderFailure('bad answer', 'OAUTH2_FACTOR_KEY was removed meanwhile')
  return JSON.parse(encryption.decrypt(sealed, connectionId).toString())
}

async function logIn(
  callback: ConnectionCallback,
  coming: Coming,
  { person, user, created }: { person: UpstreamPerson; user: PublicUser; created: boolean },
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin> {
  const { connectionId, organizationId, organization, revision } = coming.connection
  const { issuer, subject, upstreamSession, methods, authenticatedAt } = person
  const connectionLogin: ConnectionLogin = {
    ...{ connectionId, organizationId, issuer, subject, upstreamSession, methods, authenticatedAt },
    revision,
  }
  const begun = await begin(user, callback, connectionLogin, deps)
  if (begun === undefined) return refuse(callback, coming, 'disabled', deps, user.id)
  if (begun.outcome === 'second factor') return begun
  // An organization watches the logins by its own connections. A mail to the member for each would let its provider fill their mailbox.
  const { knownUsers } = organizationId === undefined ? callback : {}
  await record({ ...callback, knownUsers }, coming.pending, { userId: user.id, failure: undefined }, deps)
  deps.emit('user_authenticated', { userId: user.id, metadata: { method: connectionId } })
  const organizationSlug = organization?.slug
  return { outcome: 'right', session: begun.value, created, organizationId, organizationSlug }
}

/** @returns undefined when the user, the membership or the connection ended since the person arrived */
async function begin(
  user: PublicUser,
  callback: ConnectionCallback,
  connectionLogin: ConnectionLogin,
  deps: ConnectionLoginDeps,
) {
  const { userAgent, ipAddress, previousSecret } = callback
  const browser = { userAgent, ipAddress, previousSecret }
  if (connectionLogin.organizationId === undefined) {
    const { connectionId: loginMethod, methods } = connectionLogin
    return beginSession(
      user,
      { ...browser, passwordHash: undefined, methods, loginMethod, connectionLogin },
      deps,
    )
  }
  const value = await beginMemberSession(user, { ...browser, connectionLogin }, deps)
  return value && { outcome: 'right' as const, value }
}

async function link(
  callback: ConnectionCallback,
  coming: Coming,
  { person, arrival }: Judged,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin | 'changed'> {
  const { userId } = coming.pending
  const { previousSecret } = callback
  if (userId === undefined || previousSecret === undefined) return { outcome: 'session' }
  const user = { userId, sessionDigest: digestOf(previousSecret) }
  const linked = await deps.arrivals.link(arrival, user)
  if (linked.outcome === 'changed') return 'changed'
  return linked.outcome === 'linked' ? { outcome: 'linked', displayName: person.displayName } : linked
}

async function tryOut(
  callback: ConnectionCallback,
  { connection, pending }: Coming,
  { person, arrival }: Judged,
  deps: ConnectionLoginDeps,
): Promise<FinishedConnectionLogin> {
  const userId = await userFor('test', callback.previousSecret, connection, deps)
  if (userId === undefined || userId !== pending.userId) return { outcome: 'session' }
  return { outcome: 'test', test: await testLogin(arrival, person, deps) }
}

/** Records a login that did not succeed. Nothing but logins is in the history. */
async function refuse(
  callback: ConnectionCallback,
  { pending, connection }: Coming,
  problem: ConnectionProblem,
  deps: ConnectionLoginDeps,
  userId?: string,
): Promise<{ outcome: ConnectionProblem }> {
  if (pending.purpose !== 'login') return { outcome: problem }
  const failure = problem === 'disabled' ? 'user_disabled' : problem.replaceAll(' ', '_')
  await record(callback, pending, { userId, failure }, deps)
  const metadata = { method: connection.connectionId }
  deps.emit('user_authentication_failed', { ...(userId && { userId }), error: failure, metadata })
  return { outcome: problem }
}

async function record(
  { connectionId: method, ipAddress, userAgent, knownUsers }: ConnectionCallback,
  { purpose }: Pick<Pending, 'purpose'>,
  result: { userId: string | undefined; failure: string | undefined },
  deps: RecordingDeps,
): Promise<void> {
  if (purpose !== 'login') return
  await recordLogin({ ipAddress, userAgent, knownUsers }, { ...result, method }, deps)
}
