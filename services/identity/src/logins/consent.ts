import { isUuid } from '@gatehouse/kit/formats'
import { storable } from '@gatehouse/kit/storable'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import { digestsOf, type SessionDigests } from '../basics/secret.ts'
import type { Session } from './session-store.ts'

/** The consent that a user has given to a client. */
export type Consent = {
  clientId: string
  /** Space-separated. */
  scope: string
  grantedAt: Date
  /** The client's name as the user saw it when they last agreed, if that is known. */
  clientName: string | undefined
  /** The organization in which it was given; undefined for none. */
  organizationId: string | undefined
  organizationName: string | undefined
}

/** A consent that a user gives. */
export type GivenConsent = {
  /** The session in which the user was asked. */
  sessionId: string
  clientId: string
  /** Space-separated. */
  scope: string
  /** The client's name as the user saw it, if the gateway said it. */
  clientName?: string | undefined
  /** The organization in which the client is allowed it; absent for none. */
  organizationId?: string | undefined
}

/** Stores consents. */
export type ConsentStore = {
  /** Newest first. */
  list(userId: string): Promise<Consent[]>
  /**
   * Adds a scope to what the session's user already allows the client.
   * @param consent.sessionId the session in which the user was asked; with any other session the store adds nothing, and for an
   *   organization that is disabled or that the user does not belong to neither
   * A session whose logins all count in one organization each gives consents in those alone.
   * @returns the session of the secret; undefined when it is unknown or expired, and the store added nothing
   */
  grant(digests: SessionDigests, consent: GivenConsent): Promise<Session | undefined>
  /**
   * Deletes the consent in an organization, or in none, if there is one, and records a pending revocation of the client's tokens, in one transaction.
   * @returns the pending revocation's id
   */
  withdraw(userId: string, clientId: string, organizationId: string | undefined): Promise<bigint>
  /** The clients, among these, to which anybody has consented. */
  findClients(clientIds: readonly string[]): Promise<string[]>
  /** Deletes all consents to these clients. Their tokens are not this store's. */
  forgetClients(clientIds: readonly string[]): Promise<void>
}

/** A user's consents, newest first. */
export async function listConsents(userId: string, consents: Pick<ConsentStore, 'list'>): Promise<Consent[]> {
  return isUuid(userId) ? consents.list(userId) : []
}

/**
 * Adds a scope to what the session's user already allows the client.
 * @param consent.sessionId the session in which the user was asked; with any other session nothing is stored, and for an organization
 *   that is disabled or that the user does not belong to neither. A session whose logins all count in one organization each gives consents
 *   in those alone
 * @returns the session of the secret; undefined when it is unknown or expired, and nothing was stored
 */
export async function grantConsent(
  { secret, ...consent }: GivenConsent & { secret: string },
  consents: Pick<ConsentStore, 'grant'>,
): Promise<Session | undefined> {
  const { sessionId, clientId, scope, clientName, organizationId } = consent
  if (!isUuid(sessionId)) return undefined
  const allowed = {
    sessionId,
    clientId: storable(clientId),
    scope: storable(scope),
    clientName: clientName && storable(clientName),
    organizationId: organizationId && storable(organizationId),
  }
  return consents.grant(digestsOf(secret), allowed)
}

/**
 * The longest client_id for which a consent can be withdrawn, in bytes. It is longer than any client's, and short enough for
 * PostgreSQL's indexes: a revocation that the token service can never store would stay pending for ever.
 */
const longestClientId = 2_048

/** The needs of withdrawing a consent. */
export type WithdrawalDeps = {
  consents: Pick<ConsentStore, 'withdraw'>
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * Ends a client's access to a user's account: deletes the consent and revokes the client's codes and tokens for the user. A
 * client without a consent may hold tokens too (users are not asked about first-party clients, and the password grant needs
 * no consent), so those are revoked as well. What the client may do in other organizations stays, and so does what it may do in none.
 */
export async function withdrawConsent(
  {
    userId,
    clientId,
    organizationId,
  }: { userId: string; clientId: string; organizationId?: string | undefined },
  { consents, deliver }: WithdrawalDeps,
): Promise<void> {
  if (!isUuid(userId) || clientId === '' || Buffer.byteLength(clientId) > longestClientId) return
  if (organizationId !== undefined && !isOrganizationId(organizationId)) return
  await deliver(await consents.withdraw(userId, storable(clientId), organizationId))
}
