import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { isSecret } from '@gatehouse/kit/formats'
import type { Authority } from '../authority/authority.ts'
import {
  type ClientIdentificationDeps,
  namesNobody,
  type Presented,
} from '../clients/client-authentication.ts'
import type { CurrentClientDeps } from '../clients/client-change.ts'
import type { ResourceIndicators } from '../clients/resource-indicators.ts'
import { authenticateClient, currentSender, identifyClient } from '../clients/sender.ts'
import { digestOf } from '../keys/digest.ts'
import { fitsOrganization, neededOrganization } from '../organizations/organization-of-grant.ts'
import type { AccessTokenClaims, AccessTokenSigner } from './access-token.ts'
import type { AccessTokenStore, RevocationStore } from './access-token-store.ts'
import { type ActiveAccessToken, type ActiveTokenDeps, activeToken } from './active-token.ts'
import type { RefreshTokenStore } from './refresh-token.ts'

/** An introspection request (RFC 7662 section 2.1). */
export type IntrospectionRequest = {
  token: string
  /** The caller authenticates with credentials, or instead of them with an access token of their own (RFC 7662 section 2.1). */
  presented: Presented
  /** The gateway asks for its own use, so it need not authenticate. */
  own?: boolean | undefined
}

/** The needs of introspection. */
export type IntrospectionDeps = ClientIdentificationDeps &
  CurrentClientDeps &
  ActiveTokenDeps & {
    signer: AccessTokenSigner
    resourceIndicators: Pick<ResourceIndicators, 'areEnabled' | 'maySee'>
    refreshTokenStore: Pick<RefreshTokenStore, 'findLive'>
    authority: Pick<Authority, 'isByRole' | 'organizations'>
    /** When this is false, no refresh token is active. */
    refreshTokensEnabled: boolean
    /** A refresh token's lifetime from its issuance, in seconds. */
    refreshTokenLifetime: number
    /** Whether the caller must authenticate. */
    requireAuthentication: boolean
    emit: Emit
  }

/** An active token, as introspection describes it. A refresh token has no audience and no `jti`. */
export type ActiveToken = Omit<ActiveAccessToken, 'kind'> & { kind: 'access_token' | 'refresh_token' }

/**
 * Introspects a token (RFC 7662). An access token is active (see activeToken) only while its client may have part of its scope. A
 * refresh token is active only for the client to which it was issued, as long as that may act in an organization, or in none, as the grant
 * does. A resource server that authenticates learns only of tokens for
 * itself (section 4).
 * @returns undefined for a token that is not active, whatever the reason
 * @throws Refusal invalid_client when credentials were sent and are wrong, or are required and missing; invalid_token when the
 *   caller's own access token is not active; KeysNeeded
 */
export async function introspect(
  request: IntrospectionRequest,
  deps: IntrospectionDeps,
): Promise<ActiveToken | undefined> {
  const caller = await identifyCaller(request, deps)
  const found = await activeToken(request.token, request.own ? 'here' : 'introspection', deps)
  if (found.state === 'unknown') return refreshTokenOf(caller, request.token, deps)
  if (found.state === 'expired') deps.emit('token_expired', contentOf(found.claims))
  if (found.state !== 'active') return undefined
  const { token, claims } = found
  if (caller !== undefined && !deps.resourceIndicators.maySee(caller, token.audiences)) return undefined
  if (!request.own) deps.emit('token_validated', contentOf(claims))
  return token
}

/** @returns the id of the calling client; undefined when the caller sent no credentials and none are required */
async function identifyCaller(
  request: IntrospectionRequest,
  deps: IntrospectionDeps,
): Promise<string | undefined> {
  const { presented, own } = request
  const { token } = presented
  const isNamed = !namesNobody(presented)
  if (own && !isNamed) return undefined
  if (token !== undefined && presented.assertion === undefined) {
    const found = await activeToken(token.token, 'here', deps)
    if (found.state !== 'active') throw new Refusal('invalid_token')
    return found.token.clientId
  }
  if (!isNamed && !deps.requireAuthentication) return undefined
  // A public client only names itself, which does not satisfy required authentication.
  const identify = deps.requireAuthentication ? authenticateClient : identifyClient
  const { clientId } = await currentSender(presented, deps, identify)
  return clientId
}

/** Introspects a refresh token, for its own client only (RFC 7662 section 2.1). */
async function refreshTokenOf(
  caller: string | undefined,
  token: string,
  {
    refreshTokenStore,
    refreshTokenLifetime,
    refreshTokensEnabled,
    signer,
    resourceIndicators,
    authority,
    findClient,
  }: IntrospectionDeps,
): Promise<ActiveToken | undefined> {
  if (caller === undefined || !refreshTokensEnabled || !isSecret(token)) return undefined
  const live = await refreshTokenStore.findLive(digestOf(token), refreshTokenLifetime)
  if (live === undefined || live.grant.clientId !== caller || !resourceIndicators.maySee(caller, []))
    return undefined
  const client = await findClient(caller)
  if (client === undefined) return undefined
  const needed = neededOrganization(client, undefined, authority.organizations)
  if (!fitsOrganization(live.grant.organizationId, needed)) return undefined
  const { issuedAt: iat, expiresAt: exp, permittedScope: scope, grant } = live
  const { clientId, user, organizationId: orgId } = grant
  const { userId: sub, username } = user
  const own = { iss: signer.issuer, audiences: [], forResources: false, jti: '', ofUser: true, orgId }
  return { kind: 'refresh_token', scope, clientId, username, ...own, sub, iat, exp }
}

/** A token's event content. */
function contentOf({ sub, client_id: clientId, jti }: AccessTokenClaims) {
  return { userId: sub === clientId ? undefined : sub, clientId, metadata: { token_id: jti } }
}

/** A revocation request (RFC 7009 section 2.1). */
export type RevocationRequest = { token: string; presented: Presented }

/** The needs of revocation. */
export type RevocationDeps = ClientIdentificationDeps &
  CurrentClientDeps & {
    signer: AccessTokenSigner
    store: Pick<AccessTokenStore, 'revoke'>
    refreshTokenStore: Pick<RefreshTokenStore, 'find'>
    revocations: RevocationStore
    emit: Emit
  }

/**
 * Revokes a client's own token (RFC 7009). Does nothing for a token that is unknown, expired or already revoked. A refresh
 * token is revoked together with its whole grant (section 2.1), an access token alone.
 * @returns whether anything was revoked
 * @throws Refusal invalid_client; unauthorized_client for another client's token
 */
export async function revoke(request: RevocationRequest, deps: RevocationDeps): Promise<boolean> {
  const { clientId } = await currentSender(request.presented, deps, identifyClient)
  const claims = await deps.signer.verify(request.token)
  if (claims === undefined) return revokeRefreshToken(request.token, clientId, deps)
  refuseOthers(claims.client_id, clientId)
  const revoked = await deps.store.revoke({ expiresAt: claims.exp, jti: claims.jti, clientId })
  if (revoked) deps.emit('token_revoked', { clientId, metadata: { kind: 'access_token', id: claims.jti } })
  return revoked
}

async function revokeRefreshToken(token: string, clientId: string, deps: RevocationDeps): Promise<boolean> {
  if (!isSecret(token)) return false
  const found = await deps.refreshTokenStore.find(digestOf(token))
  if (found === undefined) return false
  refuseOthers(found.clientId, clientId)
  if (found.ended) return false
  await deps.revocations.add({ kind: 'grant', id: found.grantId, issuedBefore: 'now' })
  return true
}

function refuseOthers(owner: string, clientId: string): void {
  if (owner !== clientId) {
    throw new Refusal('unauthorized_client', 'The token was issued to another client.')
  }
}
