import type { TokenAuthority } from '../authority/judgement.ts'
import type { Proving } from '../clients/assertions/proof.ts'
import type { GrantRecord } from './grant-record.ts'

/** An access token's row, and what is spent with it. It does not contain the token itself. */
export type AccessTokenRecord = Proving & {
  /** Seconds since the Unix epoch. */
  expiresAt: number
  jti: string
  grantId: string
  /** The client's revision on which the decision to issue the token is based. */
  clientRevision: bigint
  grant: GrantRecord
  /** undefined where roles and groups do not concern it. */
  authority?: TokenAuthority | undefined
  /** When it was known that the grant may be given: revocations from then on apply to it. By default when it is stored. */
  grantedAt?: StoreTime | undefined
}

/** A time of the store's clock, in its own format and precision. */
export type StoreTime = string

/** A token's key. The JWT has both parts as claims, so a look-up touches one partition. */
export type AccessTokenKey = Pick<AccessTokenRecord, 'expiresAt' | 'jti'>

/** A stored token that is not revoked. */
export type LiveAccessToken = {
  /** Without its session. */
  grant: GrantRecord
  /** The part of the scope that the client may still have. */
  permittedScope: string
  /** The claims that it carries about groups, roles and attributes; undefined for none. */
  carried?: Readonly<Record<string, unknown>> | undefined
  /** Whether its scope was judged by roles. */
  byRole?: boolean
}

/** Stores access tokens. Calls at the same moment share a statement. */
export type AccessTokenStore = {
  now(): Promise<StoreTime>
  /** Resolves when the token is durable. @throws ClientChanged; NotAuthenticated when another request has spent the proof */
  insert(record: AccessTokenRecord): Promise<void>
  /**
   * The token, unless it is unknown, or revoked by itself or with its grant, client, user, consent or resource server, or made by roles
   * or groups of which one was taken since.
   */
  findLive(key: AccessTokenKey): Promise<LiveAccessToken | undefined>
  /**
   * Revokes a token of this client.
   * @returns whether this call revoked it
   */
  revoke(key: AccessTokenKey & { clientId: string }): Promise<boolean>
}

/** The kinds of owner whose tokens can all be revoked at once. `own` are the tokens of a client that have no user. */
export const revocationKinds = [
  ...(['grant', 'client', 'own', 'user', 'consent', 'resource'] as const),
  ...(['organization', 'membership'] as const),
] as const

/**
 * Revokes all tokens of a grant, a client, a user or a consent, a client's own, those for a resource server, or those of an organization or
 * of one of its members in it.
 */
export type Revocation = {
  kind: (typeof revocationKinds)[number]
  id: string
  /**
   * Everything granted until then is revoked. `now` is the store's current time; undefined revokes everything, including
   * what is granted later.
   */
  issuedBefore: Date | 'now' | undefined
}

/** Stores revocations of many tokens at once. */
export type RevocationStore = {
  /** Resolves when the revocation applies on every replica. It never narrows an earlier revocation. */
  add(revocation: Revocation): Promise<void>
}
