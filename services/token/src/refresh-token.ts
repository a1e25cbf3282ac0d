import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import type { Client } from './client-authentication.ts'
import type { GrantedTokens, NewTokens } from './issued-token.ts'

/** A try to use a refresh token. */
export type Rotation = {
  /** SHA-256 of the token. */
  digest: Uint8Array
  /** Who uses it. What it may not have any more, it does not get. */
  client: Pick<Client, 'clientId' | 'revision' | 'scope' | 'grantTypes'>
  /** What the new access token is to have of the grant's scope; undefined: all of it. */
  scope: readonly string[] | undefined
}

/** Why a refresh token was not rotated: one that was issued to this very client. */
export type UnrotatedToken = {
  grantId: string
  /** Used before, and not so that using it again is allowed. */
  reused: boolean
  expired: boolean
  revoked: boolean
  /** The client was changed since it was looked up. */
  clientChanged: boolean
  /** What the client may still have of the grant's, space-separated. */
  permittedScope: string
  /** Whether the client may still use the grant that the token follows from. */
  granted: boolean
}

/** A refresh token that could be used now. */
export type LiveRefreshToken = {
  clientId: string
  userId: string
  username: string
  /** What the client may still have, space-separated: never empty. */
  scope: string
  /** Seconds since the Unix epoch. */
  issuedAt: number
  /** Seconds since the Unix epoch. */
  expiresAt: number
}

/** Where refresh tokens are kept. */
export type RefreshTokenStore = {
  /**
   * Uses a token up and keeps what follows it, all or nothing. Those who use one token at once, or within 10 s and
   * before its successor is used, all succeed, each with an access token of its own and with the one successor.
   * @param tokens `refreshToken` is the successor, and no older token may have lived longer than it shall
   * @returns what the tokens are for, and whether the token had been used before; undefined where it is not to be used so:
   *   then it is as it was
   */
  rotate(
    rotation: Rotation,
    tokens: NewTokens,
  ): Promise<(GrantedTokens & { grantId: string; repeated: boolean }) | undefined>
  /**
   * Says why.
   * @param lifetime how long a refresh token lives from its making, in seconds
   * @returns undefined where this client has no such token
   */
  inspect(rotation: Rotation, lifetime: number): Promise<UnrotatedToken | undefined>
  /** Whose token this is, and whether it can still be used. */
  find(digest: Uint8Array): Promise<{ clientId: string; grantId: string; ended: boolean } | undefined>
  /**
   * A token that could be used now.
   * @param lifetime as for inspect
   */
  findLive(digest: Uint8Array, lifetime: number): Promise<LiveRefreshToken | undefined>
}

/** How refresh tokens are made. */
export type RefreshTokenRules = {
  /** Seconds. */
  lifetime: number
  successorOf: SuccessorOf
}

/** Gives the one refresh token that follows another. */
export type SuccessorOf = (refreshToken: string) => string

/**
 * The succession of refresh tokens. It is derived, so that every replica gives the same successor and nobody must keep
 * it to give it again; and by a key, so that who has an old token cannot tell what follows.
 * @param secret what the key is derived from
 */
export function createSuccession(secret: string): SuccessorOf {
  const derived = hkdfSync('sha256', secret, '', 'gatehouse: successors of refresh tokens', 32)
  const key = createSecretKey(Buffer.from(derived))
  return (refreshToken) => createHmac('sha256', key).update(refreshToken).digest('base64url')
}
