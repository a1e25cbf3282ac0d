import { randomUUIDv7 } from 'node:crypto'
import type { TokenAuthority } from '../authority/judgement.ts'
import { audienceClaim } from '../clients/audience.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { Target } from '../clients/resource-indicators.ts'
import type { AccessTokenClaims, AccessTokenSigner } from './access-token.ts'
import type { AccessTokenKey } from './access-token-store.ts'
import { claimsOf, type GrantRecord, subjectOf, type UserGrant } from './grant-record.ts'

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

/** The needs of every access token. */
export type SigningDeps = {
  signer: AccessTokenSigner
  issuer: string
  /** The `aud` of tokens that are for no resource server. */
  audience: string
  /** The lifetime of access tokens whose client has none of its own, in seconds. */
  accessTokenLifetime: number
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Tokens to store, as far as they are known before the grant is read. */
export type NewTokens = AccessTokenKey & {
  /** The identifiers of the resource servers that the access token is for; none for the default audience. */
  resources: readonly string[]
  refreshToken: NewRefreshToken | undefined
  /** undefined where roles and groups do not concern it. */
  authority?: TokenAuthority | undefined
}

/** A new refresh token, as it is stored. */
export type NewRefreshToken = {
  /** SHA-256 of the token. */
  digest: Uint8Array
  /** Seconds. */
  lifetime: number
}

/** The stored tokens. */
export type GrantedTokens = {
  /** With the scope and the resource servers of the access token. */
  grant: UserGrant
}

/** Whom an access token is issued to, and what for. */
export type TokenPurpose = { client: Client; target: Pick<Target, 'servers'> }

/** The lifetime of an access token, in seconds: the shortest that the client or one of the resource servers wants. */
export function lifetimeOf(
  { client, target }: TokenPurpose,
  { accessTokenLifetime }: Pick<SigningDeps, 'accessTokenLifetime'>,
): number {
  const ofClient = client.metadata.access_token_lifetime ?? accessTokenLifetime
  return Math.min(ofClient, ...target.servers.map(({ tokenLifetime }) => tokenLifetime ?? ofClient))
}

/**
 * Creates the key of an access token whose lifetime begins now.
 * @throws Refusal temporarily_unavailable when the token might not be verifiable until it expires
 */
export function newAccessToken(purpose: TokenPurpose, deps: SigningDeps): AccessTokenKey {
  deps.signer.checkFresh()
  return { expiresAt: Math.floor(deps.now() / 1000) + lifetimeOf(purpose, deps), jti: randomUUIDv7() }
}

/**
 * The claims of the access token of a row. No claim that the row carries takes the place of a registered one.
 * @param row its key, and the claims that it carries
 * @param expiresIn its lifetime, in seconds
 */
export function accessTokenClaims(
  { expiresAt, jti, authority }: AccessTokenKey & { authority?: TokenAuthority | undefined },
  grant: GrantRecord,
  expiresIn: number,
  deps: Pick<SigningDeps, 'issuer' | 'audience'>,
): AccessTokenClaims {
  const { resources } = grant
  return {
    ...authority?.carried,
    iss: deps.issuer,
    sub: subjectOf(grant),
    aud: audienceClaim(resources.length > 0 ? resources : [deps.audience]),
    exp: expiresAt,
    iat: expiresAt - expiresIn,
    jti,
    ...claimsOf(grant),
  }
}

/**
 * Signs the access token of a row.
 * @param row its key, and the claims that it carries
 */
export async function signAccessToken(
  row: AccessTokenKey & { authority?: TokenAuthority | undefined },
  grant: GrantRecord,
  purpose: TokenPurpose,
  deps: SigningDeps,
): Promise<IssuedToken> {
  const expiresIn = lifetimeOf(purpose, deps)
  const accessToken = await deps.signer.sign(accessTokenClaims(row, grant, expiresIn, deps))
  return { accessToken, expiresIn, scope: grant.scope }
}
