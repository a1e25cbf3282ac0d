import { Refusal } from '@gatehouse/kit/errors'
import type { Authority } from '../authority/authority.ts'
import type { Client } from '../clients/client-authentication.ts'
import type { SessionGrant } from '../openid/session-grant.ts'
import { type FindProfile, pickUserClaims, readerOf } from '../openid/user-claims.ts'
import type { AccessTokenKey } from './access-token-store.ts'
import { type ActiveTokenDeps, activeToken } from './active-token.ts'

/** The needs of the userinfo endpoint. */
export type UserinfoDeps = ActiveTokenDeps & {
  /** The session grant of an access token; undefined when it was not given in a session. */
  findSessionGrant(key: AccessTokenKey): Promise<SessionGrant | undefined>
  findProfile: FindProfile
  findClient(clientId: string): Promise<Client | undefined>
  authority: Pick<Authority, 'isByRole' | 'claimScopes' | 'claimsAbout'>
}

/**
 * The claims about the user of an access token (OpenID Connect Core section 5.3).
 * @throws Refusal invalid_token for a token that is not active or for a resource server, insufficient_scope for one without the scope openid
 */
export async function userinfo(accessToken: string, deps: UserinfoDeps): Promise<Record<string, unknown>> {
  const found = await activeToken(accessToken, 'here', deps)
  // A token of the grant client_credentials has no user.
  if (!('token' in found && found.token.ofUser)) throw new Refusal('invalid_token')
  const { sub, clientId, scope, exp: expiresAt, jti, orgId } = found.token
  if (!scope.split(' ').includes('openid')) {
    throw new Refusal('insufficient_scope', 'The access token lacks the scope openid.')
  }
  const [profile, grant] = await Promise.all([
    deps.findProfile(sub),
    deps.findSessionGrant({ expiresAt, jti }),
  ])
  if (profile === undefined) throw new Refusal('invalid_token')
  const requested = grant?.claims?.userinfo ?? {}
  const mayTell = deps.authority.claimScopes().some((name) => scope.split(' ').includes(name))
  const client = mayTell || Object.keys(requested).length > 0 ? await deps.findClient(clientId) : undefined
  const picked = pickUserClaims(profile, {
    ...{ scope, requested, permitted: client?.scope ?? '', readBy: readerOf(grant, orgId) },
  })
  const wanted = { userId: sub, organizationId: orgId, scope, requested, inToken: false }
  const ofAuthority = client && (await deps.authority.claimsAbout({ client, ...wanted }))
  if (client && ofAuthority === undefined) throw new Refusal('invalid_token')
  return { sub, ...picked, ...(orgId !== undefined && { org_id: orgId }), ...ofAuthority }
}
