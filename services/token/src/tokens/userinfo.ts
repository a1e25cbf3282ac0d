import { Refusal } from '@gatehouse/kit/errors'
import type { Client } from '../clients/client-authentication.ts'
import type { SessionGrant } from '../openid/session-grant.ts'
import { type FindProfile, pickUserClaims } from '../openid/user-claims.ts'
import type { AccessTokenSigner } from './access-token.ts'
import type { AccessTokenKey, AccessTokenStore } from './access-token-store.ts'

/** The needs of the userinfo endpoint. */
export type UserinfoDeps = {
  signer: Pick<AccessTokenSigner, 'verify'>
  store: Pick<AccessTokenStore, 'findLive'>
  /** The session grant of an access token; undefined when it was not given in a session. */
  findSessionGrant(key: AccessTokenKey): Promise<SessionGrant | undefined>
  findProfile: FindProfile
  findClient(clientId: string): Promise<Client | undefined>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/**
 * The claims about the user of an access token (OpenID Connect Core section 5.3).
 * @throws Refusal invalid_token for a token that is not active or for a resource server, insufficient_scope for one without the scope openid
 */
export async function userinfo(accessToken: string, deps: UserinfoDeps): Promise<Record<string, unknown>> {
  const claims = await deps.signer.verify(accessToken)
  if (claims === undefined || claims.exp * 1000 <= deps.now()) throw new Refusal('invalid_token')
  const live = await deps.store.findLive({ expiresAt: claims.exp, jti: claims.jti })
  if (live === undefined) throw new Refusal('invalid_token')
  const { user, clientId, resources } = live.grant
  // A token of the grant client_credentials has no user.
  if (user === undefined || user.userId !== claims.sub || clientId !== claims.client_id)
    throw new Refusal('invalid_token')
  // RFC 9068 section 4: a token for a resource server is not for this one.
  if (resources.length > 0) throw new Refusal('invalid_token')
  const scope = live.permittedScope
  if (!scope.split(' ').includes('openid')) {
    throw new Refusal('insufficient_scope', 'The access token lacks the scope openid.')
  }
  const [profile, grant] = await Promise.all([
    deps.findProfile(user.userId),
    deps.findSessionGrant({ expiresAt: claims.exp, jti: claims.jti }),
  ])
  if (profile === undefined) throw new Refusal('invalid_token')
  const requested = grant?.claims?.userinfo ?? {}
  const client = Object.keys(requested).length > 0 ? await deps.findClient(clientId) : undefined
  const picked = pickUserClaims(profile, { scope, requested, permitted: client?.scope ?? '' })
  return { sub: user.userId, ...picked }
}
