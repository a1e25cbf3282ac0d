import type { Emit } from '@gatehouse/kit/events/emission'
import { expiringSecret, expiringSecretBytes } from '@gatehouse/kit/expiring-secret'
import type { TokenAuthority } from '../authority/judgement.ts'
import type { Client } from '../clients/client-authentication.ts'
import { identifiersOf, type Target } from '../clients/resource-indicators.ts'
import { digestOf } from '../keys/digest.ts'
import {
  type GrantedTokens,
  type IssuedToken,
  type NewTokens,
  newAccessToken,
  type SigningDeps,
  signAccessToken,
} from '../tokens/issued-token.ts'
import type { RefreshTokenRules } from '../tokens/refresh-token.ts'

/** The needs of issuing tokens for a user. */
export type UserTokenDeps = SigningDeps & {
  refreshTokens: RefreshTokenRules
  enabledGrants: ReadonlySet<string>
  randomBytes(count: number): Buffer
  emit: Emit
}

/** Tokens to store, with the refresh token itself. */
export type PreparedTokens = { stored: NewTokens; refreshToken: string | undefined; target: Target }

/** Whom tokens are issued to, what for, and what roles and groups decided about that. */
export type PurposeOfTokens = { client: Client; target: Target; authority: TokenAuthority | undefined }

/** Prepares the tokens of a new grant: also a refresh token, if that grant is enabled and the client is registered for it. */
export function tokensOfNewGrant(purpose: PurposeOfTokens, deps: UserTokenDeps): PreparedTokens {
  const { client } = purpose
  const wanted = deps.enabledGrants.has('refresh_token') && client.grantTypes.has('refresh_token')
  const refreshToken = wanted
    ? expiringSecret(deps.randomBytes(expiringSecretBytes), refreshTokenExpiry(deps))
    : undefined
  return prepareTokens(purpose, refreshToken, deps)
}

/** The expiry that a refresh token of now carries, in seconds since the Unix epoch. Its row may end earlier, with its session. */
export function refreshTokenExpiry({
  now,
  refreshTokens,
}: Pick<UserTokenDeps, 'now' | 'refreshTokens'>): number {
  return Math.floor(now() / 1000) + refreshTokens.lifetime
}

/** Prepares an access token together with this refresh token. */
export function prepareTokens(
  { client, target, authority }: PurposeOfTokens,
  refreshToken: string | undefined,
  deps: UserTokenDeps,
): PreparedTokens {
  const kept =
    refreshToken === undefined
      ? undefined
      : { digest: digestOf(refreshToken), lifetime: deps.refreshTokens.lifetime }
  const key = newAccessToken({ client, target }, deps)
  const stored = { ...key, resources: identifiersOf(target), refreshToken: kept, authority }
  return { stored, refreshToken, target }
}

/**
 * The token response, once the tokens are stored.
 * @param grantType the grant that gave them
 */
export async function answerWith(
  { stored, refreshToken, target }: PreparedTokens,
  { grant }: GrantedTokens,
  { client, grantType }: { client: Client; grantType: string },
  deps: SigningDeps & Pick<UserTokenDeps, 'emit'>,
): Promise<IssuedToken> {
  deps.emit('token_created', {
    userId: grant.user.userId,
    clientId: grant.clientId,
    metadata: { token_id: stored.jti, grant_type: grantType, scope: grant.scope },
  })
  const token = await signAccessToken(stored, grant, { client, target }, deps)
  return { ...token, refreshToken }
}
