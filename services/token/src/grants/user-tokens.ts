import type { Emit } from '@gatehouse/kit/emission'
import type { Client } from '../client-authentication.ts'
import { digestOf } from '../digest.ts'
import {
  type GrantedTokens,
  type IssuedToken,
  type NewTokens,
  newAccessToken,
  type SigningDeps,
  signAccessToken,
} from '../issued-token.ts'
import type { RefreshTokenRules } from '../refresh-token.ts'

/** What issuing tokens to a user's client needs. */
export type UserTokenDeps = SigningDeps & {
  refreshTokens: RefreshTokenRules
  /** The grants that are switched on. */
  enabledGrants: ReadonlySet<string>
  randomBytes(count: number): Buffer
  emit: Emit
}

/** Tokens about to be stored, with the refresh token itself. */
export type PreparedTokens = { stored: NewTokens; refreshToken: string | undefined }

/** The tokens of a new grant: a refresh token too, where they are on and the client is registered for them. */
export function tokensOfNewGrant(client: Client, deps: UserTokenDeps): PreparedTokens {
  const wanted = deps.enabledGrants.has('refresh_token') && client.grantTypes.has('refresh_token')
  return prepareTokens(client, wanted ? deps.randomBytes(32).toString('base64url') : undefined, deps)
}

/** An access token, and with it this refresh token. */
export function prepareTokens(
  client: Client,
  refreshToken: string | undefined,
  deps: UserTokenDeps,
): PreparedTokens {
  const kept =
    refreshToken === undefined
      ? undefined
      : { digest: digestOf(refreshToken), lifetime: deps.refreshTokens.lifetime }
  return { stored: { ...newAccessToken(client, deps), refreshToken: kept }, refreshToken }
}

/**
 * The answer, once the tokens are stored.
 * @param grantType by which they were granted
 */
export function answerWith(
  { stored, refreshToken }: PreparedTokens,
  { userId, scope }: GrantedTokens,
  { client, grantType }: { client: Client; grantType: string },
  deps: SigningDeps & Pick<UserTokenDeps, 'emit'>,
): IssuedToken {
  deps.emit('token_created', {
    userId,
    clientId: client.clientId,
    metadata: { token_id: stored.jti, grant_type: grantType, scope },
  })
  return { ...signAccessToken(stored, { subject: userId, scope, client }, deps), refreshToken }
}
