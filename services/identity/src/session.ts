import { type AuthenticationDeps, authenticateUser, type PasswordAttempt } from './authentication.ts'
import type { Guarded } from './login-throttle.ts'
import { createSecret, digestOf, type RandomBytes } from './secret.ts'
import { isUuid, storable } from './text.ts'
import type { PublicUser } from './user.ts'

/** How long a login lasts, in seconds. */
const sessionLifetime = 43_200

/** What is kept of a browser's name for itself, in units of a JS string. */
const longestUserAgent = 400

/** What is kept of an address: IPv6 with a zone. */
const longestIpAddress = 64

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
}

/** Where sessions are kept. One that is over, or whose user is disabled, is none. */
export type SessionStore = {
  /**
   * Begins a session and ends the browser's previous one.
   * @returns when it ends; undefined when the user was disabled or the password changed since it was checked
   */
  begin(session: BeginningSession): Promise<Date | undefined>
  find(secretDigest: Buffer): Promise<Session | undefined>
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
export type NewSession = { secret: string; expiresAt: Date; user: PublicUser }

/** A login in a browser. */
export type Login = PasswordAttempt & { userAgent: string; previousSecret: string | undefined }

/**
 * Logs a user in. The browser gets a new session and its previous one ends, so a session that somebody else planted
 * there becomes nobody's login (session fixation).
 * @throws what authenticateUser throws
 */
export async function logIn(login: Login, deps: LoginDeps): Promise<Guarded<NewSession>> {
  // Twice, since a login at the same moment may have hashed the same password again.
  for (let round = 1; round <= 2; round += 1) {
    const authenticated = await authenticateUser(login, deps)
    if (authenticated.outcome !== 'right') return authenticated
    const session = await beginSession(
      authenticated.value,
      { ...login, passwordHash: authenticated.value.passwordHash },
      deps,
    )
    if (session) return { outcome: 'right', value: session }
  }
  return { outcome: 'wrong' }
}

/** Where a session begins, and what the login was by. */
export type SessionBeginning = Pick<Login, 'userAgent' | 'ipAddress' | 'previousSecret'> &
  Pick<BeginningSession, 'passwordHash'>

/**
 * Begins a session of a user, and ends the browser's previous one.
 * @returns undefined when the user is gone or disabled, or the password changed since it was checked
 */
export async function beginSession(
  { id, username, admin }: PublicUser,
  { passwordHash, userAgent, ipAddress, previousSecret }: SessionBeginning,
  { sessions, randomBytes, randomUuid }: BeginningDeps,
): Promise<NewSession | undefined> {
  const secret = createSecret(randomBytes)
  const expiresAt = await sessions.begin({
    id: randomUuid(),
    secretDigest: digestOf(secret),
    userId: id,
    passwordHash,
    userAgent: storable(userAgent.slice(0, longestUserAgent)),
    ipAddress: storable(ipAddress.slice(0, longestIpAddress)),
    lifetime: sessionLifetime,
    previousDigest: previousSecret === undefined ? undefined : digestOf(previousSecret),
  })
  return expiresAt && { secret, expiresAt, user: { id, username, admin } }
}

/** Whose session this is. */
export function getSession(
  secret: string,
  sessions: Pick<SessionStore, 'find'>,
): Promise<Session | undefined> {
  return sessions.find(digestOf(secret))
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
