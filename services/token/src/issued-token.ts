import { randomUUIDv7 } from 'node:crypto'
import type { AccessTokenSigner } from './access-token.ts'
import type { AccessTokenKey } from './access-token-store.ts'
import type { Client } from './client-authentication.ts'

/** What the token endpoint answers. */
export type IssuedToken = {
  accessToken: string
  /** Seconds. */
  expiresIn: number
  /** Space-separated. */
  scope: string
  refreshToken?: string | undefined
}

/** What every access token needs. */
export type SigningDeps = {
  signer: AccessTokenSigner
  issuer: string
  audience: string
  /** How long access tokens live whose client has no lifetime of its own, in seconds. */
  accessTokenLifetime: number
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Tokens that are about to be stored, as far as they are known before the grant is read. */
export type NewTokens = AccessTokenKey & {
  /** Undefined: there is none. */
  refreshToken: NewRefreshToken | undefined
}

/** What is kept of a new refresh token. */
export type NewRefreshToken = {
  /** SHA-256 of the token. */
  digest: Uint8Array
  /** Seconds. */
  lifetime: number
}

/** What the stored tokens are for. */
export type GrantedTokens = {
  userId: string
  /** The access token's, space-separated. */
  scope: string
}

/** How long access tokens of a client live, in seconds. */
function lifetimeOf({ metadata }: Client, { accessTokenLifetime }: SigningDeps): number {
  return metadata.access_token_lifetime ?? accessTokenLifetime
}

/**
 * The key of an access token of a client that begins to live now.
 * @throws Refusal temporarily_unavailable where it could not be signed so that it is verified all its life
 */
export function newAccessToken(client: Client, deps: SigningDeps): AccessTokenKey {
  deps.signer.checkFresh()
  return { expiresAt: Math.floor(deps.now() / 1000) + lifetimeOf(client, deps), jti: randomUUIDv7() }
}

/**
 * The access token of a row that has been stored.
 * @param key of the row
 * @param subject the user's id, or the client's where there is no user
 */
export function signAccessToken(
  { expiresAt, jti }: AccessTokenKey,
  { subject, scope, client }: { subject: string; scope: string; client: Client },
  deps: SigningDeps,
): IssuedToken {
  const expiresIn = lifetimeOf(client, deps)
  const accessToken = deps.signer.sign({
    iss: deps.issuer,
    sub: subject,
    aud: deps.audience,
    exp: expiresAt,
    iat: expiresAt - expiresIn,
    jti,
    scope,
    client_id: client.clientId,
  })
  return { accessToken, expiresIn, scope }
}
