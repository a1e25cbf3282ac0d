import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { AccessTokenClaims, AccessTokenSigner } from './access-token.ts'
import type { AccessTokenStore, LiveAccessToken, RevocationStore } from './access-token-store.ts'
import {
  authenticateClient,
  type ClientAuthenticationDeps,
  type ClientIdentificationDeps,
  identifyClient,
  type PresentedCredentials,
} from './client-authentication.ts'
import { digestOf } from './digest.ts'
import { looksLikeRefreshToken, type RefreshTokenStore } from './refresh-token.ts'

/** A question about a token. */
export type IntrospectionRequest = {
  token: string
  credentials: readonly PresentedCredentials[]
  /** The gateway asks for itself: it need not authenticate. */
  own?: boolean | undefined
}

/** What introspection needs. */
export type IntrospectionDeps = ClientAuthenticationDeps & {
  signer: AccessTokenSigner
  store: Pick<AccessTokenStore, 'findLive'>
  /** Whether the caller must be a client. */
  requireAuthentication: boolean
  emit: Emit
}

/**
 * Says what a token is good for (RFC 7662). It is active only if we signed it, its row exists, it is not over, and
 * nothing revoked it: who holds the signing secret can check tokens, not make them.
 * @returns the claims and the user's name, or undefined for a token that is not active, whatever the reason
 * @throws Refusal invalid_client when credentials were sent and are wrong, or are required and missing; those of a
 *   public client prove nothing
 */
export async function introspect(
  request: IntrospectionRequest,
  deps: IntrospectionDeps,
): Promise<(AccessTokenClaims & { username: string }) | undefined> {
  if (request.credentials.length > 0 || (deps.requireAuthentication && !request.own)) {
    await authenticateClient(request.credentials, deps)
  }
  const claims = await deps.signer.verify(request.token)
  if (claims === undefined) return undefined
  if (claims.exp * 1000 <= deps.now()) {
    deps.emit('token_expired', contentOf(claims))
    return undefined
  }
  const live = await deps.store.findLive({ expiresAt: claims.exp, jti: claims.jti })
  // Who holds the secret could sign other claims for the row of a real token.
  if (live === undefined || !isOf(claims, live)) return undefined
  if (!request.own) deps.emit('token_validated', contentOf(claims))
  return { ...claims, username: live.username ?? live.clientId }
}

/** What events say of a token. */
function contentOf({ sub, client_id: clientId, jti }: AccessTokenClaims) {
  return { userId: sub === clientId ? undefined : sub, clientId, metadata: { token_id: jti } }
}

function isOf(claims: AccessTokenClaims, { clientId, userId, scope }: LiveAccessToken): boolean {
  return claims.client_id === clientId && claims.sub === (userId ?? clientId) && claims.scope === scope
}

/** A wish to end a token. */
export type RevocationRequest = { token: string; credentials: readonly PresentedCredentials[] }

/** What revocation needs. */
export type RevocationDeps = ClientIdentificationDeps & {
  signer: AccessTokenSigner
  store: Pick<AccessTokenStore, 'revoke'>
  refreshTokenStore: Pick<RefreshTokenStore, 'find'>
  revocations: RevocationStore
  emit: Emit
}

/**
 * Revokes a client's own token (RFC 7009). A token that is unknown or over already is as good as revoked. With a refresh
 * token goes all that its grant gave (section 2.1); an access token goes alone.
 * @returns whether there was something to end
 * @throws Refusal invalid_client; unauthorized_client for another client's token
 */
export async function revoke(request: RevocationRequest, deps: RevocationDeps): Promise<boolean> {
  const { clientId } = await identifyClient(request.credentials, deps)
  const claims = await deps.signer.verify(request.token)
  if (claims === undefined) return revokeRefreshToken(request.token, clientId, deps)
  refuseOthers(claims.client_id, clientId)
  const revoked = await deps.store.revoke({ expiresAt: claims.exp, jti: claims.jti, clientId })
  if (revoked) deps.emit('token_revoked', { clientId, metadata: { kind: 'access_token', id: claims.jti } })
  return revoked
}

async function revokeRefreshToken(token: string, clientId: string, deps: RevocationDeps): Promise<boolean> {
  if (!looksLikeRefreshToken(token)) return false
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
