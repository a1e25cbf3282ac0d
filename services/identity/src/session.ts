import { isUuid } from '@gatehouse/kit/formats'
import { type AuthenticationDeps, checkPassword, type PasswordAttempt } from './authentication.ts'
import { recordLogin } from './login-history.ts'
import type { Guarded } from './login-throttle.ts'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { keptIpAddress, keptUserAgent, storable } from './text.ts'
import type { PublicUser } from './user.ts'

/** How long a login lasts, in seconds. */
const sessionLifetime = 43_200

/** A login in a browser, as its user may see it. */
export type Session = {
  /** Names the session, and opens nothing. */
  id: string
  user: PublicUser
  createdAt: Date
  expiresAt: Date
  userAgent: string
  ipAddress: string
  /** When all this was so, by the database's clock. */
  seenAt: Date
  /** What the user has allowed the client that was asked about, space-separated; undefined: none was. */
  consentedScope: string | undefined
}

/** A session that begins. */
export type BeginningSession = {
  id: string
  secretDigest: Buffer
  userId: string
  /** The hash that the password was compared with; undefined: the login was by none. */
  passwordHash: string | undefined
  userAgent: string
  ipAddress: string
  /** Seconds. */
  lifetime: number
  /** Of the browser's present session, which ends. */
  previousDigest: Buffer | undefined
  /** Of whom it is asked what the user has allowed it; empty: of nobody. */
  clientId: string
}

/** What the database says of a session that begins. */
export type BegunSession = Pick<Session, 'createdAt' | 'expiresAt' | 'consentedScope'>

/** Where sessions are kept. One that is over, or whose user is disabled, is none. */
export type SessionStore = {
  /**
   * Begins a session and ends the browser's previous one.
   * @returns undefined when the user was disabled or the password changed since it was checked
   */
  begin(session: BeginningSession): Promise<BegunSession | undefined>
  /** @param clientId of whom it is asked what the user has allowed it; empty: of nobody */
  find(secretDigest: Buffer, clientId: string): Promise<Session | undefined>
  /** The newest first. */
  list(userId: string): Promise<Session[]>
  end(userId: string, sessionId: string): Promise<void>
}

/** What beginning a session needs. */
export type BeginningDeps = {
  sessions: Pick<SessionStore, 'begin'>
  randomBytes: RandomBytes
  randomUuid(): string
}

/** What logging in needs. */
export type LoginDeps = AuthenticationDeps & BeginningDeps

/** A session with its secret, which is nowhere else. */
export type NewSession = { secret: string; session: Session }

/** A login in a browser. */
export type Login = PasswordAttempt & {
  userAgent: string
  previousSecret: string | undefined
}

/**
 * Logs a user in. The browser gets a new session and its previous one ends, so a session that somebody else planted
 * there becomes nobody's login (session fixation). The attempt is recorded, whatever came of it.
 * @throws what checkPassword throws
 */
export async function logIn(login: Login, deps: LoginDeps): Promise<Guarded<NewSession>> {
  const method = 'password'
  let userId: string | undefined
  // Twice, since a login at the same moment may have hashed the same password again.
  for (let round = 1; round <= 2; round += 1) {
    const authenticated = await checkPassword(login, method, deps)
    if (authenticated.outcome !== 'right') return authenticated
    userId = authenticated.value.id
    const session = await beginSession(
      authenticated.value,
      { ...login, passwordHash: authenticated.value.passwordHash },
      deps,
    )
    if (session) {
      await recordLogin(login, { userId, method, failure: '' }, deps)
      return { outcome: 'right', value: session }
    }
  }
  // It is no longer the password that was checked.
  await recordLogin(login, { userId, method, failure: 'wrong_password' }, deps)
  return { outcome: 'wrong' }
}

/** Where a session begins, and what the login was by. */
export type SessionBeginning = Pick<Login, 'userAgent' | 'ipAddress' | 'previousSecret' | 'clientId'> &
  Pick<BeginningSession, 'passwordHash'>

/**
 * Begins a session of a user, and ends the browser's previous one.
 * @returns undefined when the user is gone or disabled, or the password changed since it was checked
 */
export async function beginSession(
  { id: userId, username, admin }: PublicUser,
  { passwordHash, previousSecret, ...login }: SessionBeginning,
  { sessions, randomBytes, randomUuid }: BeginningDeps,
): Promise<NewSession | undefined> {
  const secret = createSecret(randomBytes)
  const id = randomUuid()
  const userAgent = keptUserAgent(login.userAgent)
  const ipAddress = keptIpAddress(login.ipAddress)
  const begun = await sessions.begin({
    id,
    secretDigest: digestOf(secret),
    userId,
    passwordHash,
    userAgent,
    ipAddress,
    lifetime: sessionLifetime,
    previousDigest: previousSecret === undefined ? undefined : digestOf(previousSecret),
    clientId: storable(login.clientId ?? ''),
  })
  const user = { id: userId, username, admin }
  return begun && { secret, session: { id, user, userAgent, ipAddress, seenAt: begun.createdAt, ...begun } }
}

/**
 * Whose session this is.
 * @param clientId of whom it is asked what the user has allowed it; empty: of nobody
 */
export function getSession(
  secret: string,
  sessions: Pick<SessionStore, 'find'>,
  clientId = '',
): Promise<Session | undefined> {
  return sessions.find(digestOf(secret), storable(clientId))
}

/** A user's sessions, the newest first. */
export async function listSessions(userId: string, sessions: Pick<SessionStore, 'list'>): Promise<Session[]> {
  return isUuid(userId) ? sessions.list(userId) : []
}

/** Ends a session of a user; one that is none is as good as ended. */
export async function endSession(
  { userId, sessionId }: { userId: string; sessionId: string },
  sessions: Pick<SessionStore, 'end'>,
): Promise<void> {
  if (isUuid(userId) && isUuid(sessionId)) await sessions.end(userId, sessionId)
}
