import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { isSecret } from '@gatehouse/kit/formats'
import { isAudience } from '../clients/audience.ts'
import type { ClientIdentificationDeps, Presented } from '../clients/client-authentication.ts'
import { type CurrentClientDeps, decideByClient } from '../clients/client-change.ts'
import type { ResourceIndicators } from '../clients/resource-indicators.ts'
import { authenticateClient, identifyClient } from '../clients/sender.ts'
import { digestOf } from '../keys/digest.ts'
import type { AccessTokenClaims, AccessTokenSigner } from './access-token.ts'
import type { AccessTokenStore, RevocationStore } from './access-token-store.ts'
import { claimsOf, type GrantClaims, type GrantRecord, subjectOf } from './grant-record.ts'
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
  CurrentClientDeps & {
    signer: AccessTokenSigner
    /** The `aud` of tokens that are for no resource server. */
    audience: string
    resourceIndicators: Pick<ResourceIndicators, 'areEnabled' | 'maySee'>
    store: Pick<AccessTokenStore, 'findLive'>
    refreshTokenStore: Pick<RefreshTokenStore, 'findLive'>
    /** When this is false, no refresh token is active. */
    refreshTokensEnabled: boolean
    /** A refresh token's lifetime from its issuance, in seconds. */
    refreshTokenLifetime: number
    /** Whether the caller must authenticate. */
    requireAuthentication: boolean
    emit: Emit
  }

/** An active token, as introspection describes it. */
export type ActiveToken = {
  kind: 'access_token' | 'refresh_token'
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
  /** The audiences; none for a refresh token. */
  audiences: readonly string[]
  /** Whether the audiences are resource servers, and not the default audience. */
  forResources: boolean
  /** Empty for a refresh token. */
  jti: string
  /** Whether it is a user's token, and not the client's own. */
  ofUser: boolean
}

/**
 * Introspects a token (RFC 7662). An access token is active only if this server signed it, its row exists, it has not
 * expired, it is not revoked, and its client may still have part of its scope. So somebody who holds the signing secret can
 * verify tokens, but not create them. A refresh token is active only for the client to which it was issued. A resource server
 * that authenticates learns only of tokens for itself (section 4).
 * @returns undefined for a token that is not active, whatever the reason
 * @throws Refusal invalid_client when credentials were sent and are wrong, or are required and missing; invalid_token when the
 *   caller's own access token is not active
 */
export async function introspect(
  request: IntrospectionRequest,
  deps: IntrospectionDeps,
): Promise<ActiveToken | undefined> {
  const caller = await identifyCaller(request, deps)
  const claims = await deps.signer.verify(request.token)
  if (claims === undefined) return refreshTokenOf(caller, request.token, deps)
  if (claims.exp * 1000 <= deps.now()) {
    deps.emit('token_expired', contentOf(claims))
    return undefined
  }
  const active = await findActive(claims, deps)
  if (active && caller !== undefined && !deps.resourceIndicators.maySee(caller, active.audiences))
    return undefined
  if (active && !request.own) deps.emit('token_validated', contentOf(claims))
  return active
}

/** @returns the id of the calling client; undefined when the caller sent no credentials and none are required */
async function identifyCaller(
  request: IntrospectionRequest,
  deps: IntrospectionDeps,
): Promise<string | undefined> {
  const { presented, own } = request
  const { credentials, token } = presented
  if (own && credentials.length === 0) return undefined
  if (token !== undefined) {
    const claims = await deps.signer.verify(token.token)
    const active = claims && claims.exp * 1000 > deps.now() && (await findActive(claims, deps))
    // RFC 9068 section 4: a token for a resource server is not for this one.
    if (!active || active.forResources) throw new Refusal('invalid_token')
    return active.clientId
  }
  if (credentials.length === 0 && !deps.requireAuthentication) return undefined
  // A public client only names itself, which does not satisfy required authentication.
  const identify = deps.requireAuthentication ? authenticateClient : identifyClient
  const client = await decideByClient(credentials, deps, () => identify(presented, deps))
  return client.clientId
}

async function findActive(
  claims: AccessTokenClaims,
  {
    store,
    audience,
    resourceIndicators,
  }: Pick<IntrospectionDeps, 'store' | 'audience' | 'resourceIndicators'>,
): Promise<ActiveToken | undefined> {
  const live = await store.findLive({ expiresAt: claims.exp, jti: claims.jti })
  // Somebody who holds the secret could sign other claims for the row of a real token.
  if (live === undefined || !isOf(claims, live.grant) || live.permittedScope === '') return undefined
  const { clientId, user, resources } = live.grant
  const forResources = resources.length > 0
  const audiences = forResources ? resources : [audience]
  if (!isAudience(claims.aud, audiences)) return undefined
  // Issued by a replica that had not learned yet that the resource server was disabled.
  if (forResources && !resourceIndicators.areEnabled(resources)) return undefined
  const { iss, sub, exp, iat, jti } = claims
  const { permittedScope: scope } = live
  const username = user?.username ?? clientId
  const ofUser = user !== undefined
  const token = { iss, sub, audiences, forResources, exp, iat, jti, scope, clientId, username, ofUser }
  return { kind: 'access_token', ...token }
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
  }: IntrospectionDeps,
): Promise<ActiveToken | undefined> {
  if (caller === undefined || !refreshTokensEnabled || !isSecret(token)) return undefined
  const live = await refreshTokenStore.findLive(digestOf(token), refreshTokenLifetime)
  if (live === undefined || live.grant.clientId !== caller || !resourceIndicators.maySee(caller, []))
    return undefined
  const { issuedAt: iat, expiresAt: exp, permittedScope: scope, grant } = live
  const { clientId, user } = grant
  const { userId: sub, username } = user
  const own = { iss: signer.issuer, audiences: [], forResources: false, jti: '', ofUser: true }
  return { kind: 'refresh_token', scope, clientId, username, ...own, sub, iat, exp }
}

/** A token's event content. */
function contentOf({ sub, client_id: clientId, jti }: AccessTokenClaims) {
  return { userId: sub === clientId ? undefined : sub, clientId, metadata: { token_id: jti } }
}

function isOf(claims: AccessTokenClaims, grant: GrantRecord): boolean {
  if (claims.sub !== subjectOf(grant)) return false
  const own = claimsOf(grant)
  for (const name in own) if (claims[name as keyof GrantClaims] !== own[name as keyof GrantClaims]) return false
  return true
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
  const { presented } = request
  const { clientId } = await decideByClient(presented.credentials, deps, () =>
    identifyClient(presented, deps),
  )
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
