import { isDeepStrictEqual } from 'node:util'
import type { Authority } from '../authority/authority.ts'
import { isAudience } from '../clients/audience.ts'
import type { ResourceIndicators } from '../clients/resource-indicators.ts'
import type { AccessTokenClaims, AccessTokenSigner } from './access-token.ts'
import type { AccessTokenStore, LiveAccessToken } from './access-token-store.ts'
import { claimsOf, type GrantClaims, subjectOf } from './grant-record.ts'

/**
 * The use for which an access token must be active: `introspection` describes it to somebody else, and `here` is any endpoint of this
 * server to which its holder presents it.
 */
export type TokenUse = 'introspection' | 'here'

/** The needs of finding out whether a token is active. */
export type ActiveTokenDeps = {
  signer: Pick<AccessTokenSigner, 'verify'>
  /** The `aud` of tokens that are for no resource server. */
  audience: string
  resourceIndicators: Pick<ResourceIndicators, 'areEnabled'>
  authority: Pick<Authority, 'isByRole'>
  store: Pick<AccessTokenStore, 'findLive'>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** An active access token. */
export type ActiveAccessToken = {
  kind: 'access_token'
  /** The part of the token's scope that the client may still have. */
  scope: string
  clientId: string
  username: string
  /** Seconds since the Unix epoch. */
  exp: number
  /** Seconds since the Unix epoch. */
  iat: number
  sub: string
  iss: string
  audiences: readonly string[]
  /** Whether the audiences are resource servers, and not the default audience. */
  forResources: boolean
  jti: string
  /** Whether it is a user's token, and not the client's own. */
  ofUser: boolean
  /** The id of the organization in which the grant was given; undefined for none. */
  orgId: string | undefined
  /** Its claims about groups, roles and attributes; undefined for none. */
  carried?: LiveAccessToken['carried']
}

/**
 * The state of a text for a use: `unknown` if it is no access token that this server signed, `scopeless` if the token is active, but its
 * client may have nothing of its scope any more.
 */
export type TokenState =
  | { state: 'unknown' }
  | { state: 'expired' | 'inactive'; claims: AccessTokenClaims }
  | { state: 'active' | 'scopeless'; claims: AccessTokenClaims; token: ActiveAccessToken }

/**
 * Finds out whether an access token is active for a use: the one place where that is decided. It is only if this server signed it, its
 * row exists, it has not expired and it is not revoked. So somebody who holds the signing secret can verify tokens, but not create them.
 */
export async function activeToken(text: string, use: TokenUse, deps: ActiveTokenDeps): Promise<TokenState> {
  const { signer, store, audience, resourceIndicators, authority } = deps
  const claims = await signer.verify(text)
  if (claims === undefined) return { state: 'unknown' }
  if (claims.exp * 1000 <= deps.now()) return { state: 'expired', claims }
  const live = await store.findLive({ expiresAt: claims.exp, jti: claims.jti })
  // Somebody who holds the secret could sign other claims for the row of a real token.
  if (live === undefined || !isOf(claims, live)) return { state: 'inactive', claims }
  const { clientId, user, resources, organizationId } = live.grant
  const forResources = resources.length > 0
  const audiences = forResources ? resources : [audience]
  if (!isAudience(claims.aud, audiences)) return { state: 'inactive', claims }
  if (forResources) {
    // RFC 9068 section 4: a token for a resource server is not for this one.
    if (use === 'here') return { state: 'inactive', claims }
    // Issued by a replica that had not learned yet that the resource server was disabled.
    if (!resourceIndicators.areEnabled(resources)) return { state: 'inactive', claims }
    // Issued before roles began to give the scopes of the resource server, by whichever replica or release had not learned of it.
    if (!live.byRole && authority.isByRole(resources)) return { state: 'inactive', claims }
  }
  const { iss, sub, exp, iat, jti } = claims
  const { permittedScope: scope, carried } = live
  return {
    state: scope === '' ? 'scopeless' : 'active',
    claims,
    token: {
      kind: 'access_token',
      scope,
      clientId,
      username: user?.username ?? clientId,
      exp,
      iat,
      sub,
      iss,
      audiences,
      forResources,
      jti,
      ofUser: user !== undefined,
      orgId: organizationId,
      carried,
    },
  }
}

function isOf(claims: AccessTokenClaims, { grant, carried }: LiveAccessToken): boolean {
  if (claims.sub !== subjectOf(grant)) return false
  const own = claimsOf(grant)
  for (const name in own)
    if (claims[name as keyof GrantClaims] !== own[name as keyof GrantClaims]) return false
  const read: Readonly<Record<string, unknown>> = claims
  for (const name in carried) if (!isDeepStrictEqual(read[name], carried[name])) return false
  return true
}
