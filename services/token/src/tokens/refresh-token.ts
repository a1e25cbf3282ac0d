import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { expiringSecret } from '@gatehouse/kit/expiring-secret'
import { type Keyring, keysOf } from '@gatehouse/kit/secrets/keyring'
import type { Proving } from '../clients/assertions/proof.ts'
import type { Client } from '../clients/client-authentication.ts'
import { digestOf } from '../keys/digest.ts'
import type { NeededOrganization } from '../organizations/organization-of-grant.ts'
import type { FindGrantOfUser, UserGrant } from './grant-record.ts'
import type { GrantedTokens, NewTokens } from './issued-token.ts'

/** An attempt to use a refresh token. */
export type Rotation = Proving & {
  /** SHA-256 of the token. */
  digest: Uint8Array
  /** The client that uses it, as it is now: it gets no more of the scope than it may still have. */
  client: Pick<Client, 'clientId' | 'revision' | 'scope' | 'grantTypes'>
  /** The part of the grant's scope requested for the new access token; undefined for all of it. */
  scope: readonly string[] | undefined
  organization: NeededOrganization
  /** The expiry that the successor of the first use carries, in seconds since the Unix epoch; undefined for a successor without one. */
  successorExpiresAt: number | undefined
}

/** The grant of the tokens that follow a refresh token. */
export type Rotated = GrantedTokens & {
  grantId: string
  /** Whether the token had been used before. */
  repeated: boolean
  /** The expiry that the token's successor carries, which its first use decided; undefined when it carries none. */
  successorExpiresAt: number | undefined
}

/** Why a refresh token was not rotated. Only for a token that was issued to the client in question. */
export type UnrotatedToken = {
  grantId: string
  /** It was used before and may not be used again. */
  reused: boolean
  expired: boolean
  revoked: boolean
  /** The client was changed since it was looked up. */
  clientChanged: boolean
  /** The part of the grant's scope that the client may still have, space-separated. */
  permittedScope: string
  /** Whether the client may still use the grant that gave the token. */
  granted: boolean
  /** The grant is of an organization as the request and the client need it, or of none if they need none. */
  organizationFits: boolean
  /** The resource servers of the grant that were not revoked since; undefined when the grant has none. */
  resources: readonly string[] | undefined
}

/** A refresh token that can be used now. */
export type LiveRefreshToken = {
  /** Without its session. */
  grant: UserGrant
  /** The part of its scope that the client may still have, space-separated; never empty. */
  permittedScope: string
  /** Seconds since the Unix epoch. */
  issuedAt: number
  /** Seconds since the Unix epoch. */
  expiresAt: number
}

/** Stores refresh tokens. */
export type RefreshTokenStore = {
  /**
   * Uses a token up and stores the tokens that follow, in one statement, which uses of the same moment share. Several uses of a token, at once or within 10 s and
   * before its successor is used, all succeed: each gets an access token of its own and the same successor.
   * @param tokens `resources` must be among those of the grant, or both have none. `refreshToken` is the successor. Its lifetime also limits the token that is used, even if that was issued
   *   with a longer one
   * @returns the grant of the tokens, and whether the token had been used before; undefined when this attempt may not use the token, which
   *   then stays unchanged, and when another request has spent the proof: the caller must spend it before they look for the reason
   */
  rotate(rotation: Rotation, tokens: NewTokens): Promise<Rotated | undefined>
  /**
   * Says why a token was not rotated.
   * @param lifetime a refresh token's lifetime from its issuance, in seconds
   * @returns undefined when this client has no such token
   */
  inspect(rotation: Rotation, lifetime: number): Promise<UnrotatedToken | undefined>
  /** The client and grant of a token. `ended` is true when it has expired or its grant was revoked. */
  find(digest: Uint8Array): Promise<{ clientId: string; grantId: string; ended: boolean } | undefined>
  /**
   * Finds a token that can be used now.
   * @param lifetime as for inspect
   */
  findLive(digest: Uint8Array, lifetime: number): Promise<LiveRefreshToken | undefined>
  findGrant: FindGrantOfUser
}

/** How refresh tokens are issued. */
export type RefreshTokenRules = {
  /** Seconds. */
  lifetime: number
  successorOf: SuccessorOf
  /**
   * The successor of a token that had been used before: a replica may have derived it that has the next secret as its current one. Absent
   * while the secret is not being changed.
   */
  storedSuccessorOf?: ((...of: Parameters<SuccessorOf>) => Promise<string>) | undefined
}

/**
 * Returns the one refresh token that follows another.
 * @param expiresAt the expiry that it carries, in seconds since the Unix epoch; undefined for none
 */
export type SuccessorOf = (refreshToken: string, expiresAt: number | undefined) => string

/**
 * Creates the function that derives a refresh token's successor. Deriving it lets every replica give the same successor
 * again without storing it. The derivation is keyed, so that somebody with an old token cannot compute the next one.
 * @param secret the secret from which the keys are derived
 */
export function createSuccession(secret: string): SuccessorOf {
  const keyFor = (use: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', use, 32)))
  const key = keyFor('gatehouse: successors of refresh tokens')
  const expiringKey = keyFor('gatehouse: successors of refresh tokens that carry their expiry')
  return (refreshToken, expiresAt) => {
    if (expiresAt === undefined) return createHmac('sha256', key).update(refreshToken).digest('base64url')
    const secretBits = createHmac('sha256', expiringKey).update(`${expiresAt} ${refreshToken}`).digest()
    return expiringSecret(secretBits, expiresAt)
  }
}

/**
 * The derivations of successors with the secrets of a keyring.
 * @param store finds the successors that are stored
 */
export function createSuccessions(
  secret: Keyring,
  store: Pick<RefreshTokenStore, 'find'>,
): Pick<RefreshTokenRules, 'successorOf' | 'storedSuccessorOf'> {
  const [successorOf, otherOf] = keysOf(secret, createSuccession)
  if (otherOf === undefined) return { successorOf }
  return {
    successorOf,
    async storedSuccessorOf(...of) {
      const other = otherOf(...of)
      return (await store.find(digestOf(other))) === undefined ? successorOf(...of) : other
    },
  }
}
