import { Refusal } from '@gatehouse/kit/errors'
import { expiryOf } from '@gatehouse/kit/expiring-secret'
import { grantsWhere } from '@gatehouse/proto/grants'
import type { Authority } from '../authority/authority.ts'
import type { Judgement } from '../authority/judgement.ts'
import type { Client } from '../clients/client-authentication.ts'
import { ClientChanged } from '../clients/client-change.ts'
import type { ResourceIndicators, Target } from '../clients/resource-indicators.ts'
import { grantScope, scopeWords } from '../clients/scope.ts'
import { digestOf } from '../keys/digest.ts'
import { type IdTokenDeps, idTokenFor } from '../openid/id-token.ts'
import { neededOrganization, wrongOrganization } from '../organizations/organization-of-grant.ts'
import type { IssuedToken } from '../tokens/issued-token.ts'
import type { RefreshTokenStore, Rotated, Rotation, UnrotatedToken } from '../tokens/refresh-token.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { hasResources, type OtherResources, useGrant } from './granted-resources.ts'
import { judgeGrant } from './judged-grant.ts'
import { requireParameters } from './parameters.ts'
import { endReusedGrant, type ReuseDeps } from './reuse.ts'
import { answerWith, prepareTokens, refreshTokenExpiry, type UserTokenDeps } from './user-tokens.ts'

const grantType = 'refresh_token'

/** The grants that can have given a refresh token. */
const beginnings = grantsWhere(({ tokensOf }) => tokensOf === 'user')

/** The needs of refreshing. */
export type RefreshTokenGrantDeps = UserTokenDeps &
  IdTokenDeps &
  ReuseDeps & {
    refreshTokenStore: Pick<RefreshTokenStore, 'rotate' | 'inspect' | 'findGrant'>
    resourceIndicators: ResourceIndicators
    authority: Authority
    /** Called when a refresh token was used again while that still gives the same successor. */
    repeatedRefresh(): void
  }

/**
 * Issues an access token for a refresh token, and the refresh token that follows it. A client that asks again within 10 s,
 * because of a lost answer, a retry or a second tab, gets the same successor. A token that is used again later was stolen by
 * one of its two users, so its grant is revoked (RFC 9700 section 4.14.2).
 * @throws Refusal invalid_request, invalid_scope, invalid_target, invalid_grant, temporarily_unavailable
 */
async function issue(
  client: Client,
  { parameters, resources, proof }: GrantRequest,
  deps: RefreshTokenGrantDeps,
): Promise<IssuedToken> {
  const { refresh_token: refreshToken = '', scope = '' } = parameters
  requireParameters({ refresh_token: refreshToken })
  // Its tokens would never be active: the client may use none of the grants that give tokens of users.
  if (!beginnings.some((beginning) => client.grantTypes.has(beginning)))
    throw refusal('the client may no longer have tokens of users')
  const presented = {
    organization: neededOrganization(client, parameters.organization, deps.authority.organizations),
    ...{ refreshToken, proof },
    digest: digestOf(refreshToken),
    scope: scope === '' ? undefined : scopeWords(scope),
    // After a token without an expiry come tokens without one: release 0.7.0, which may run beside this one, derives the same.
    successorExpiresAt: expiryOf(refreshToken) === undefined ? undefined : refreshTokenExpiry(deps),
  }
  return useGrant(resources, client, deps, (target) => rotate(presented, { client, target }, deps))
}

/** Rotates a refresh token for a target, or says which resource servers its grant has instead. */
async function rotate(
  { refreshToken, ...presented }: Omit<Rotation, 'client'> & { refreshToken: string },
  { client, target }: { client: Client; target: Target },
  deps: RefreshTokenGrantDeps,
): Promise<IssuedToken | OtherResources> {
  const { digest, scope: asked, organization } = presented
  const find = () => deps.refreshTokenStore.findGrant(digest, client.clientId)
  const judged = await judgeGrant(find, { asked, organization }, { client, target }, deps)
  const isNothing = 'nothing' in judged
  const rotation = { ...presented, client: { ...client, scope: target.scope } }
  const { successorOf, storedSuccessorOf = successorOf } = deps.refreshTokens
  const purpose = { client, target, authority: isNothing ? undefined : judged.authority }
  const tokens = prepareTokens(purpose, successorOf(refreshToken, presented.successorExpiresAt), deps)
  const granted = isNothing
    ? undefined
    : await deps.refreshTokenStore.rotate(narrowed(rotation, judged), tokens.stored)
  if (granted) {
    if (granted.repeated) {
      noteRepeatedUse(granted, deps)
      // The first use decided the expiry that it carries, by another clock.
      tokens.refreshToken = await storedSuccessorOf(refreshToken, granted.successorExpiresAt)
    }
    const answer = await answerWith(tokens, granted, { client, grantType }, deps)
    const idToken = await idTokenFor(client, answer, { grant: granted.grant, first: false }, deps)
    return { ...answer, idToken }
  }
  // Somebody who repeats a request learns nothing by it, and ends nothing.
  if (rotation.proof) await deps.proofs.spend(rotation.proof)
  const unrotated = await deps.refreshTokenStore.inspect(rotation, deps.refreshTokens.lifetime)
  const { resources, permittedScope } = await usable(unrotated, client, deps)
  if (!hasResources(resources, target)) return { grantedResources: resources }
  if (permittedScope === '') throw refusal('the client may no longer have anything of the scope')
  if (isNothing) throw refusal(judged.nothing)
  // The only reason left is a requested scope that was not granted: this throws invalid_scope for it.
  grantScope(presented.scope?.join(' ') ?? '', permittedScope)
  throw refusal('the refresh token changed meanwhile')
}

/** The rotation with no more scope than roles give. */
function narrowed(rotation: Rotation, { scope, authority }: Judgement): Rotation {
  if (authority === undefined) return rotation
  const asked = rotation.scope && scope.split(' ')
  return { ...rotation, scope: asked, client: { ...rotation.client, scope } }
}

/**
 * Returns a token that can be used for some target, and revokes the grant of one that was used again.
 * @throws Refusal invalid_grant, temporarily_unavailable
 */
async function usable(
  unrotated: UnrotatedToken | undefined,
  client: Client,
  deps: RefreshTokenGrantDeps,
): Promise<UnrotatedToken> {
  if (unrotated === undefined) throw refusal('the client has no such refresh token')
  if (unrotated.reused) {
    await endReusedGrant(unrotated.grantId, deps)
    const { grantId } = unrotated
    deps.emit('refresh_token_reused', { clientId: client.clientId, metadata: { grant_id: grantId } })
    throw refusal('the refresh token was used before')
  }
  if (unrotated.expired) throw refusal('the refresh token has expired')
  if (unrotated.revoked) throw refusal('the grant is revoked')
  if (unrotated.clientChanged) throw new ClientChanged()
  if (!unrotated.granted) throw refusal('the client may no longer use the grant')
  if (!unrotated.organizationFits) throw refusal(wrongOrganization)
  return unrotated
}

/** The grant of a refresh token (RFC 6749 section 6). */
export const refreshToken: Grant<RefreshTokenGrantDeps> = { issue }

/** Counts a repeated use. Most are a lost answer or a second tab; many of them may reveal a thief who uses the token alongside. */
function noteRepeatedUse(
  { grant: { clientId, user }, grantId }: Rotated,
  { repeatedRefresh, emit }: RefreshTokenGrantDeps,
): void {
  repeatedRefresh()
  emit('refresh_token_repeated', { userId: user.userId, clientId, metadata: { grant_id: grantId } })
}

function refusal(detail: string): Refusal {
  return new Refusal('invalid_grant', undefined, { detail })
}
