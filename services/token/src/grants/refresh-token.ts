import { Refusal } from '@gatehouse/kit/errors'
import { grantsWhere } from '@gatehouse/proto/grants'
import type { Client } from '../client-authentication.ts'
import { ClientChanged } from '../client-change.ts'
import { digestOf } from '../digest.ts'
import type { IssuedToken } from '../issued-token.ts'
import type { RefreshTokenStore } from '../refresh-token.ts'
import { grantScope, scopeWords } from '../scope.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { requireParameters } from './parameters.ts'
import { endReusedGrant, type ReuseDeps } from './reuse.ts'
import { answerWith, prepareTokens, type UserTokenDeps } from './user-tokens.ts'

const grantType = 'refresh_token'

/** The grants that a refresh can go on with. */
const beginnings = grantsWhere(({ tokensOf }) => tokensOf === 'user')

/** What refreshing needs. */
export type RefreshTokenGrantDeps = UserTokenDeps &
  ReuseDeps & {
    refreshTokenStore: Pick<RefreshTokenStore, 'rotate' | 'inspect'>
    /** Told when a refresh token was used again, within the time in which that gives the same successor. */
    repeatedRefresh(): void
  }

/**
 * Issues an access token for a refresh token, and the refresh token that follows it. A lost answer, a retry, two tabs:
 * whoever asks again within 10 s gets the same successor. One that comes back later was stolen, from or by whom nobody
 * can tell, so its grant ends (RFC 9700 section 4.14.2).
 * @throws Refusal invalid_request, invalid_scope, invalid_grant, temporarily_unavailable
 */
async function issue(
  client: Client,
  { parameters }: GrantRequest,
  deps: RefreshTokenGrantDeps,
): Promise<IssuedToken> {
  const { refresh_token: refreshToken = '', scope = '' } = parameters
  requireParameters({ refresh_token: refreshToken })
  // What follows from it would be dead: nothing is left that could have begun the grant.
  if (!beginnings.some((beginning) => client.grantTypes.has(beginning)))
    throw refusal('the client may no longer have tokens of users')
  const rotation = {
    digest: digestOf(refreshToken),
    client,
    scope: scope === '' ? undefined : scopeWords(scope),
  }
  const tokens = prepareTokens(client, deps.refreshTokens.successorOf(refreshToken), deps)
  const granted = await deps.refreshTokenStore.rotate(rotation, tokens.stored)
  if (granted) {
    if (granted.repeated) noteRepeatedUse(granted, client, deps)
    return answerWith(tokens, granted, { client, grantType }, deps)
  }
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
  if (unrotated.clientChanged) throw new ClientChanged()
  if (!unrotated.granted) throw refusal('the client may no longer use the grant')
  if (unrotated.permittedScope === '') throw refusal('the client may no longer have anything of the scope')
  // What is left is a scope that was not granted, and this says so.
  grantScope(scope, unrotated.permittedScope)
  throw refusal('the refresh token changed meanwhile')
}

/** The grant of a refresh token (RFC 6749 section 6). */
export const refreshToken: Grant<RefreshTokenGrantDeps> = { grantType, issue }

/** Mostly a lost answer or a second tab, but also a thief who keeps step with the owner: their number tells. */
function noteRepeatedUse(
  { userId, grantId }: { userId: string; grantId: string },
  { clientId }: Client,
  { repeatedRefresh, emit }: RefreshTokenGrantDeps,
): void {
  repeatedRefresh()
  emit('refresh_token_repeated', { userId, clientId, metadata: { grant_id: grantId } })
}

function refusal(detail: string): Refusal {
  return new Refusal('invalid_grant', undefined, { detail })
}
