import { isUuid } from '@gatehouse/kit/formats'
import { keptIpAddress, keptUserAgent, storable } from '@gatehouse/kit/storable'
import {
  createSessionSecret,
  digestOf,
  digestsOf,
  previousDigestsOf,
  type RandomBytes,
} from '../basics/secret.ts'
import type { PublicUser } from '../users/user.ts'
import { type AuthenticationDeps, checkPassword, type PasswordAttempt } from './authentication.ts'
import type { ConnectionLogin } from './connection-login.ts'
import { recordLogin } from './login-history.ts'
import type { Guarded } from './login-throttle.ts'
import { beginPendingLogin, type NewPendingLogin, type PendingLoginStore } from './pending-login.ts'
import type { BeginningSession, Session, SessionStore } from './session-store.ts'

/** How long a session lasts, in seconds. */
export const sessionLifetime = 43_200

/** The end of a session that begins now, in seconds since the Unix epoch. The database's clock decides when it really ends. */
export const sessionExpiry = (now: number): number => Math.floor(now / 1000) + sessionLifetime

/** How exactly it is known when a session was last used, in milliseconds: it is not written more often. */
export const seenEvery = 300_000

/** The needs of beginning a session. */
export type BeginningDeps = {
  sessions: Pick<SessionStore, 'begin'>
  pendingLogins: Pick<PendingLoginStore, 'add'>
  randomBytes: RandomBytes
  randomUuid(): string
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/** The needs of logging in. */
export type LoginDeps = AuthenticationDeps & BeginningDeps

/** A session with its secret, which is stored nowhere. */
export type NewSession = { secret: string; session: Session }

/** A login whose first factor is proven: its session began, or it waits for the second factor. */
export type NewLogin =
  | { outcome: 'right'; value: NewSession }
  | { outcome: 'second factor'; pending: NewPendingLogin }

/** A login in a browser. */
export type Login = PasswordAttempt & {
  userAgent: string
  previousSecret: string | undefined
}

/**
 * Logs a user in. The browser gets a new session secret, so a session that an attacker planted in the browser never becomes
 * the user's login (session fixation). The attempt is recorded, whether it succeeds or fails; one that waits for the second
 * factor is recorded when it ends.
 * @throws the errors of checkPassword
 */
export async function logIn(login: Login, deps: LoginDeps): Promise<Guarded<NewSession> | NewLogin> {
  const method = 'password'
  let userId: string | undefined
  // Two tries, since a concurrent login may have renewed the password's hash.
  for (let round = 1; round <= 2; round += 1) {
    const authenticated = await checkPassword(login, method, deps)
    if (authenticated.outcome !== 'right') return authenticated
    userId = authenticated.value.id
    const { passwordHash } = authenticated.value
    const beginning = { ...login, passwordHash, methods: ['pwd'], loginMethod: method }
    const begun = await beginSession(authenticated.value, beginning, deps)
    if (begun?.outcome === 'second factor') return begun
    if (begun) {
      await recordLogin(login, { userId, method, failure: undefined }, deps)
      deps.emit('user_authenticated', { userId, metadata: { method } })
      return begun
    }
  }
  // The password changed since it was checked.
  await recordLogin(login, { userId, method, failure: 'wrong_password' }, deps)
  return { outcome: 'wrong' }
}

/** The browser in which a session begins, and the password hash that was checked. */
export type SessionBeginning = Pick<Login, 'userAgent' | 'ipAddress' | 'previousSecret' | 'clientId'> &
  Pick<BeginningSession, 'passwordHash' | 'methods'> & {
    /** The method in the login history. */
    loginMethod: string
    /** The login by a connection of the instance; absent for any other way. */
    connectionLogin?: ConnectionLogin | undefined
  }

/**
 * Begins a session for a user, or a pending login if a second factor is demanded that is not among the methods. Every login
 * begins its session here. The browser's previous session ends, unless the same user logged in again: then it goes on with a
 * new secret, and what clients may do in it goes on too.
 * @returns undefined when the user was deleted or disabled, the password changed since it was checked, or the connection was disabled or
 *   no longer leads to the user
 */
export async function beginSession(
  { id: userId, username, adminRole }: PublicUser,
  { passwordHash, methods, loginMethod, connectionLogin, previousSecret, ...login }: SessionBeginning,
  { sessions, pendingLogins, randomBytes, randomUuid, now, deliver }: BeginningDeps,
): Promise<NewLogin | undefined> {
  const secret = createSessionSecret(randomBytes, sessionExpiry(now()))
  const userAgent = keptUserAgent(login.userAgent)
  const ipAddress = keptIpAddress(login.ipAddress)
  const clientId = login.clientId && storable(login.clientId)
  const begun = await sessions.begin({
    id: randomUuid(),
    secretDigest: digestOf(secret),
    userId,
    passwordHash,
    methods,
    connectionLogin,
    userAgent,
    ipAddress,
    lifetime: sessionLifetime,
    previousDigests: previousDigestsOf(previousSecret),
    clientId,
  })
  if (begun === undefined) return undefined
  if (begun === 'second factor') {
    const proven = { loginMethod, methods, passwordHash, connectionLogin }
    const waiting = { userId, ...proven, ipAddress, userAgent, clientId }
    return {
      outcome: 'second factor',
      pending: await beginPendingLogin(waiting, { pendingLogins, randomBytes }),
    }
  }
  const { revocationIds, ...stored } = begun
  await deliver(...revocationIds)
  const user = { id: userId, username, adminRole }
  return { outcome: 'right', value: newSession(secret, { user, userAgent, ipAddress, methods, ...stored }) }
}

/** The known fields of a session that has just begun. */
type JustBegun = Omit<
  Session,
  'lastSeenAt' | 'organizationsOnly' | 'secondFactorUnproven' | 'secondFactorDue'
>

/** A session that has just begun, with all that is demanded of its user proven. */
export function newSession(secret: string, session: JustBegun): NewSession {
  const proven = { organizationsOnly: false, secondFactorUnproven: false, secondFactorDue: false }
  return { secret, session: { ...session, ...proven, lastSeenAt: session.seenAt } }
}

/**
 * Finds the session of a secret, and notes now and then that it was used.
 * @param clientId the client whose consented scope is wanted; undefined for none
 * @param anyLogin whether a session is wanted, too, all of whose logins count in one organization each, and these logins of any session
 */
export async function getSession(
  secret: string,
  sessions: Pick<SessionStore, 'find' | 'findAny' | 'see'>,
  clientId?: string,
  anyLogin = false,
): Promise<Session | undefined> {
  const client = clientId && storable(clientId)
  const session = anyLogin
    ? await sessions.findAny(digestsOf(secret), client)
    : await sessions.find(digestOf(secret), client)
  if (session && session.seenAt.getTime() - session.lastSeenAt.getTime() >= seenEvery)
    await sessions.see(session.id)
  return session
}

/** A user's sessions of both kinds, newest first. */
export async function listSessions(userId: string, sessions: Pick<SessionStore, 'list'>): Promise<Session[]> {
  return isUuid(userId) ? sessions.list(userId) : []
}

/**
 * Ends a session of a user. Does nothing when the user has no such session.
 * @param which endLinks: whether the links in mails to the user end too, because somebody else may have asked for one in that session
 */
export async function endSession(
  {
    userId,
    sessionId,
    endLinks = false,
  }: { userId: string; sessionId: string; endLinks?: boolean | undefined },
  { sessions, deliver }: { sessions: Pick<SessionStore, 'end'>; deliver: BeginningDeps['deliver'] },
): Promise<void> {
  if (isUuid(userId) && isUuid(sessionId)) await deliver(...(await sessions.end(userId, sessionId, endLinks)))
}
