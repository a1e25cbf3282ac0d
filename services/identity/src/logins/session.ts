import { isUuid } from '@gatehouse/kit/formats'
import { keptIpAddress, keptUserAgent, storable } from '@gatehouse/kit/storable'
import { createSessionSecret, digestOf, type RandomBytes } from '../basics/secret.ts'
import type { PublicUser } from '../users/user.ts'
import { type AuthenticationDeps, checkPassword, type PasswordAttempt } from './authentication.ts'
import { recordLogin } from './login-history.ts'
import type { Guarded } from './login-throttle.ts'
import { beginPendingLogin, type NewPendingLogin, type PendingLoginStore } from './pending-login.ts'

/** How long a session lasts, in seconds. */
export const sessionLifetime = 43_200

/** The end of a session that begins now, in seconds since the Unix epoch. The database's clock decides when it really ends. */
export const sessionExpiry = (now: number): number => Math.floor(now / 1000) + sessionLifetime

/** How exactly it is known when a session was last used, in milliseconds: it is not written more often. */
export const seenEvery = 300_000

/** A login in a browser, as its user may see it. */
export type Session = {
  /** Identifies the session, but does not authenticate anybody. */
  id: string
  user: PublicUser
  createdAt: Date
  expiresAt: Date
  userAgent: string
  ipAddress: string
  /** When the database read this session, by the database's clock. */
  seenAt: Date
  /** When the user last logged in during this session, by the database's clock. */
  authenticatedAt: Date
  /** When the session was last used, to within `seenEvery`. */
  lastSeenAt: Date
  /** How they logged in (RFC 8176). */
  methods: readonly string[]
  /** Whether the user has a second factor that they have not proven in this session. */
  secondFactorUnproven: boolean
  /** Whether two factors are demanded of the user, by OAUTH2_MFA or because they have a second one, and this session lacks one. */
  secondFactorDue: boolean
  /** The scope that the user has allowed the given client, space-separated; undefined when no client was given. */
  consentedScope: string | undefined
  /** The scopes that they have allowed it in organizations. */
  consentedIn: readonly ConsentedIn[]
  /** The names of the attributes that the user has. */
  attributeNames: readonly string[]
}

/** The scope that a user has allowed a client in an organization, space-separated. */
export type ConsentedIn = { organizationId: string; scope: string }

/** A session to begin, without its user. */
export type StartingSession = {
  id: string
  secretDigest: Buffer
  userAgent: string
  ipAddress: string
  /** Seconds. */
  lifetime: number
  /** How the user logged in (RFC 8176). */
  methods: readonly string[]
  /** The digest of the browser's previous session. It goes on with a new secret if it is the same user's, else it ends. */
  previousDigest: Buffer | undefined
  /** The client whose consented scope is wanted; undefined for none. */
  clientId: string | undefined
}

/** A session to begin for a user. */
export type BeginningSession = StartingSession & {
  userId: string
  /** The hash that the password was compared with; undefined when the login used no password. */
  passwordHash: string | undefined
}

/** The fields that the database adds to a session that begins. */
export type BegunSession = Pick<
  Session,
  'id' | 'createdAt' | 'expiresAt' | 'authenticatedAt' | 'consentedScope' | 'consentedIn' | 'attributeNames'
> & {
  /** The pending revocation of the previous session, if it ended and the token service must be told. */
  revocationIds: readonly bigint[]
}

/** Stores sessions. It does not find an expired session, nor one whose user is disabled. */
export type SessionStore = {
  /**
   * Begins a session. The browser's previous session goes on as this one if it is the same user's, else it ends.
   * @returns undefined when the user was disabled or the password changed since it was checked; 'second factor' when the user
   *   has one, or must have one, and has not proven it
   */
  begin(session: BeginningSession): Promise<BegunSession | 'second factor' | undefined>
  /**
   * Begins the session of a pending login whose user has proven all that is demanded, and deletes the pending login.
   * @returns undefined when it is unknown, expired or completed, or its user was disabled or changed the password meanwhile
   */
  complete(session: StartingSession & { pendingDigest: Buffer }): Promise<BegunSession | undefined>
  /** @param clientId the client whose consented scope is wanted; undefined for none */
  find(secretDigest: Buffer, clientId: string | undefined): Promise<Session | undefined>
  /** Notes that a session is used now, unless that was noted in the last `seenEvery`. */
  see(sessionId: string): Promise<void>
  /**
   * Gives a session the methods of a factor that its user proved in it, and a new secret. It keeps the time of its login.
   * @returns false when it is unknown or has ended, or its user is disabled
   */
  raise(secretDigest: Buffer, newDigest: Buffer, methods: readonly string[]): Promise<boolean>
  /** Newest first. */
  list(userId: string): Promise<Session[]>
  /**
   * @param endLinks whether the links in mails to the user end too
   * @returns the id of the pending revocation, if the session ended now and the token service must be told
   */
  end(userId: string, sessionId: string, endLinks: boolean): Promise<readonly bigint[]>
}

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
  }

/**
 * Begins a session for a user, or a pending login if a second factor is demanded that is not among the methods. Every login
 * begins its session here. The browser's previous session ends, unless the same user logged in again: then it goes on with a
 * new secret, and what clients may do in it goes on too.
 * @returns undefined when the user was deleted or disabled, or the password changed since it was checked
 */
export async function beginSession(
  { id: userId, username, adminRole }: PublicUser,
  { passwordHash, methods, loginMethod, previousSecret, ...login }: SessionBeginning,
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
    userAgent,
    ipAddress,
    lifetime: sessionLifetime,
    previousDigest: previousSecret === undefined ? undefined : digestOf(previousSecret),
    clientId,
  })
  if (begun === undefined) return undefined
  if (begun === 'second factor') {
    const waiting = { userId, loginMethod, methods, passwordHash, ipAddress, userAgent, clientId }
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
type JustBegun = Omit<Session, 'seenAt' | 'lastSeenAt' | 'secondFactorUnproven' | 'secondFactorDue'>

/** A session that has just begun, with all that is demanded of its user proven. */
export function newSession(secret: string, session: JustBegun): NewSession {
  const proven = { secondFactorUnproven: false, secondFactorDue: false }
  const { authenticatedAt } = session
  return { secret, session: { ...session, ...proven, seenAt: authenticatedAt, lastSeenAt: authenticatedAt } }
}

/**
 * Finds the session of a secret, and notes now and then that it was used.
 * @param clientId the client whose consented scope is wanted; undefined for none
 */
export async function getSession(
  secret: string,
  sessions: Pick<SessionStore, 'find' | 'see'>,
  clientId?: string,
): Promise<Session | undefined> {
  const session = await sessions.find(digestOf(secret), clientId && storable(clientId))
  if (session && session.seenAt.getTime() - session.lastSeenAt.getTime() >= seenEvery)
    await sessions.see(session.id)
  return session
}

/** A user's sessions, newest first. */
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
