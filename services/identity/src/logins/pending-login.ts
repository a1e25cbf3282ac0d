import { createSecret, digestOf, type RandomBytes } from '../basics/secret.ts'
import type { ConnectionLogin } from './connection-login.ts'

/** How long a login waits for the second factor, in seconds. */
export const pendingLoginLifetime = 600

/** How many codes may be tried in one pending login. */
export const mostTries = 10

/** A login that waits for a second factor. */
export type PendingLogin = {
  secretDigest: Buffer
  userId: string
  /** The method in the login history: password, or the name of a social provider. */
  loginMethod: string
  /** The methods that were proven so far (RFC 8176). */
  methods: readonly string[]
  /** The hash that the password was compared with; undefined when the login used no password. */
  passwordHash: string | undefined
  /** The login by a connection of the instance; undefined for any other way. */
  connectionLogin: ConnectionLogin | undefined
  ipAddress: string
  userAgent: string
  /** undefined when the login is for no client. */
  clientId: string | undefined
}

/** A pending login that ended without the second factor. */
export type UnfinishedLogin = Pick<
  PendingLogin,
  'userId' | 'loginMethod' | 'ipAddress' | 'userAgent' | 'clientId'
>

/** Stores logins that wait for a second factor. It keeps no password hash, but a digest of it. */
export type PendingLoginStore = {
  /** @param lifetime in seconds; @returns when it expires */
  add(login: PendingLogin, lifetime: number): Promise<Date>
  /** Counts a try of a code. @returns false when the login is unknown or has expired, or `most` tries were counted before */
  countTry(secretDigest: Buffer, most: number): Promise<boolean>
  /** Deletes logins that have expired, at most `most`, and returns them. Each is returned once, by whichever replica. */
  takeExpired(most: number): Promise<UnfinishedLogin[]>
}

/** A pending login with its secret, which is stored nowhere. */
export type NewPendingLogin = { secret: string; expiresAt: Date }

/** Makes a login wait for the second factor. Its secret is for the browser's cookie, and opens nothing else. */
export async function beginPendingLogin(
  login: Omit<PendingLogin, 'secretDigest'>,
  { pendingLogins, randomBytes }: { pendingLogins: Pick<PendingLoginStore, 'add'>; randomBytes: RandomBytes },
): Promise<NewPendingLogin> {
  const secret = createSecret(randomBytes)
  const expiresAt = await pendingLogins.add(
    { ...login, secretDigest: digestOf(secret) },
    pendingLoginLifetime,
  )
  return { secret, expiresAt }
}
