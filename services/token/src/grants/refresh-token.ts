import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../client-authentication.ts'
import { digestOf } from '../digest.ts'
import type { IssuedToken } from '../issued-token.ts'
import type { RefreshTokenStore } from '../refresh-token.ts'
import { grantScope, scopeWords } from '../scope.ts'
import { requireParameters } from './parameters.ts'
import { endReusedGrant, type ReuseDeps } from './reuse.ts'
import { answerWith, prepareTokens, type UserTokenDeps } from './user-tokens.ts'

/** The grant's name. */
export const grantType = 'refresh_token'

/** The grant's own parameters (RFC 6749 section 6); absent: empty. */
export type RefreshTokenParameters = { refreshToken: string; scope: string }

/** What refreshing needs. */
export type RefreshTokenGrantDeps = UserTokenDeps &
  ReuseDeps & {
    refreshTokenStore: Pick<RefreshTokenStore, 'rotate' | 'inspect'>
  }

/**
 * Issues an access token for a refresh token, and the refresh token that follows it. A lost answer, a retry, two tabs:
 * whoever asks again within 10 s gets the same successor. One that comes back later was stolen, from or by whom nobody
 * can tell, so its grant ends (RFC 9700 section 4.14.2).
 * @throws Refusal invalid_request, invalid_scope, invalid_grant, temporarily_unavailable
 */
export async function issueByRefreshToken(
  client: Client,
  { refreshToken, scope }: RefreshTokenParameters,
  deps: RefreshTokenGrantDeps,
): Promise<IssuedToken> {
  requireParameters({ refresh_token: refreshToken })
  const rotation = {
    digest: digestOf(refreshToken),
    clientId: client.clientId,
    scope: scope === '' ? undefined : scopeWords(scope),
  }
  const tokens = prepareTokens(deps.refreshTokens.successorOf(refreshToken), deps)
  const granted = await deps.refreshTokenStore.rotate(rotation, tokens.stored)
  if (granted) return answerWith(tokens, granted, { client, grantType }, deps)
  const unrotated = await deps.refreshTokenStore.inspect(rotation, deps.refreshTokens.lifetime)
  if (unrotated === undefined) throw refusal('the client has no such refresh token')
  if (unrotated.reused) {
    await endReusedGrant(unrotated.grantId, deps)
    const { grantId } = unrotated
    deps.emit('refresh_token_reused', { clientId: client.clientId, metadata: { grant_id: grantId } })
    throw refusal('the refresh token was used before')
  }
  if (unrotated.expired) throw refusal('the refresh token is over')
  if (unrotated.revoked) throw refusal('the grant is revoked')
  // What is left is a scope that the grant has not, and this says so.
  grantScope(scope, unrotated.scope)
  throw refusal('the refresh token changed meanwhile')
}

function refusal(detail: string): Refusal {
  return new Refusal('invalid_grant', undefined, { detail })
}
