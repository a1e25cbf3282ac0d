import { randomUUIDv7 } from 'node:crypto'
import type { AccessTokenSigner } from './access-token.ts'
import type { AccessTokenKey } from './access-token-store.ts'
import type { Client } from './client-authentication.ts'
import type { SessionGrant } from './session-grant.ts'

/** A successful token response (RFC 6749 section 5.1). */
export type IssuedToken = {
  accessToken: string
  /** Seconds. */
  expiresIn: number
  /** Space-separated. */
  scope: string
  refreshToken?: string | undefined
  idToken?: string | undefined
}

/** What every access token needs. */
export type SigningDeps = {
  signer: AccessTokenSigner
  issuer: string
  audience: string
  /** The lifetime of access tokens whose client has none of its own, in seconds. */
  accessTokenLifetime: number
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Tokens to store, as far as they are known before the grant is read. */
export type NewTokens = AccessTokenKey & {
  refreshToken: NewRefreshToken | undefined
}

/** A new refresh token, as it is stored. */
export type NewRefreshToken = {
  /** SHA-256 of the token. */
  digest: Uint8Array
  /** Seconds. */
  lifetime: number
}

/** The user and scope of the stored tokens. */
export type GrantedTokens = {
  userId: string
  /** The access token's scope, space-separated. */
  scope: string
  /** What an ID token says about the grant; undefined when none is issued. */
  sessionGrant?: SessionGrant | undefined
}

/** The lifetime of a client's access tokens, in seconds. */
function lifetimeOf({ metadata }: Client, { accessTokenLifetime }: SigningDeps): number {
  return metadata.access_token_lifetime ?? accessTokenLifetime
}

/**
 * Creates the key of an access token whose lifetime begins now.
 * @throws Refusal temporarily_unavailable when the token might not be verifiable until it expires
 */
export function newAccessToken(client: Client, deps: SigningDeps): AccessTokenKey {
  deps.signer.checkFresh()
  return { expiresAt: Math.floor(deps.now() / 1000) + lifetimeOf(client, deps), jti: randomUUIDv7() }
}

/**
 * Signs the access token of a row.
 * @param key the row's key
 * @param subject the user's id, or the client's when there is no user
 */
export async function signAccessToken(
  { expiresAt, jti }: AccessTokenKey,
  { subject, scope, client }: { subject: string; scope: string; client: Client },
  deps: SigningDeps,
): Promise<IssuedToken> {
  const expiresIn = lifetimeOf(client, deps)
  const accessToken = await deps.signer.sign({
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
