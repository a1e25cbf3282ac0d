import { isUuid } from '@gatehouse/kit/formats'
import { digestOf } from './secret.ts'
import type { Session } from './session.ts'
import { storable } from './text.ts'

/** What a user has allowed a client. */
export type Consent = {
  clientId: string
  /** Space-separated. */
  scope: string
  grantedAt: Date
}

/** Where consents are kept. */
export type ConsentStore = {
  /** The newest first. */
  list(userId: string): Promise<Consent[]>
  /**
   * Adds what the user of a session allows a client to what they allowed it before.
   * @param consent.sessionId the session in which they were asked: in another nothing is added
   * @returns the session of the secret; undefined: it is unknown or over, and nothing was added
   */
  grant(
    secretDigest: Buffer,
    consent: { sessionId: string; clientId: string; scope: string },
  ): Promise<Session | undefined>
  /**
   * Forgets a consent, if there is one, and writes down the revocation of the client's tokens, both or neither.
   * @returns the pending revocation's id
   */
  withdraw(userId: string, clientId: string): Promise<bigint>
}

/** The clients that a user has allowed something, the newest first. */
export async function listConsents(userId: string, consents: Pick<ConsentStore, 'list'>): Promise<Consent[]> {
  return isUuid(userId) ? consents.list(userId) : []
}

/**
 * Remembers what the user of a session allows a client, besides what they have allowed it before.
 * @param consent.sessionId the session in which they were asked: in another nothing is remembered
 * @returns the session of the secret; undefined: it is unknown or over, and nothing was remembered
 */
export async function grantConsent(
  { secret, ...consent }: { secret: string; sessionId: string; clientId: string; scope: string },
  consents: Pick<ConsentStore, 'grant'>,
): Promise<Session | undefined> {
  const { sessionId, clientId, scope } = consent
  if (!isUuid(sessionId)) return undefined
  const allowed = { sessionId, clientId: storable(clientId), scope: storable(scope) }
  return consents.grant(digestOf(secret), allowed)
}

/**
 * The longest client_id whose access is ended, in bytes. Longer than any client's, and short enough for the indexes of
 * PostgreSQL: a revocation that the token service can never store would stay pending for ever.
 */
const longestClientId = 2_048

/** What ending a client's access needs. */
export type WithdrawalDeps = {
  consents: Pick<ConsentStore, 'withdraw'>
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
}

/**
 * Ends a client's access to a user's account: the consent is forgotten, codes and tokens end. A client without a consent
 * may hold tokens too (a first-party client is never asked for, and the password grant needs none), so its tokens end
 * all the same.
 */
export async function withdrawConsent(
  { userId, clientId }: { userId: string; clientId: string },
  { consents, deliver }: WithdrawalDeps,
): Promise<void> {
  if (!isUuid(userId) || clientId === '' || Buffer.byteLength(clientId) > longestClientId) return
  await deliver(await consents.withdraw(userId, storable(clientId)))
}
