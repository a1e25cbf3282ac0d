import { type AuthorityClaim, authorityClaims } from '@gatehouse/proto/claims'
import type { Client } from '../clients/client-authentication.ts'
import { rolesReadBy, shapeReadBy } from './client-fields.ts'
import { existingRoles } from './judgement.ts'
import type { AuthorityDeps } from './needs.ts'
import { mostListed, writtenClaims } from './written-claims.ts'

/** The claims about a user's groups and roles that a client wants outside of access tokens. */
export type ClaimsAbout = {
  /** Its scope of now permits the claims that it asks for one by one. */
  client: Pick<Client, 'metadata' | 'scope'>
  userId: string
  /** undefined for the instance. */
  organizationId?: string | undefined
  /** The granted scope, space-separated. */
  scope: string
  /** The claims that it asked for one by one (OpenID Connect Core section 5.5). */
  requested: Readonly<Record<string, unknown>>
  /** Whether they go into a token, which must not get too large for a header. */
  inToken: boolean
}

/** The scopes that give claims about groups and roles: none that a resource server has defined, which keeps its meaning. */
export function claimScopes({ knownServers }: Pick<AuthorityDeps, 'knownServers'>): AuthorityClaim[] {
  const known = knownServers()
  return authorityClaims.filter((name) => known?.scopes.has(name) === false)
}

/**
 * The claims about a user's groups and roles. It asks nobody unless the client wants and may have some.
 * @returns undefined for a user who is not active
 * @throws Refusal temporarily_unavailable
 */
export async function claimsAbout(
  { client, userId, organizationId, scope, requested, inToken }: ClaimsAbout,
  deps: Pick<AuthorityDeps, 'findAuthority' | 'knownServers'>,
): Promise<Record<string, unknown> | undefined> {
  const [granted, permitted] = [scope.split(' '), client.scope.split(' ')]
  const wanted = claimScopes(deps).filter(
    (name) => granted.includes(name) || (Object.hasOwn(requested, name) && permitted.includes(name)),
  )
  const groups = wanted.includes('groups')
  const server = wanted.includes('roles') ? serverReadBy(client, deps) : undefined
  if (!groups && server === undefined) return {}
  const resourceIds = server ? [server.resourceId] : []
  const authority = await deps.findAuthority({ userId, organizationId, resourceIds, groups })
  if (authority === undefined) return undefined
  const told = {
    groups: groups ? authority.groups : undefined,
    roles: server && {
      resource: server.name,
      names: existingRoles(server, { client, userId, organizationId }, authority),
    },
  }
  return writtenClaims(told, shapeReadBy(client), inToken ? mostListed : Number.POSITIVE_INFINITY)
}

function serverReadBy(
  client: Pick<Client, 'metadata'>,
  { knownServers }: Pick<AuthorityDeps, 'knownServers'>,
) {
  const server = knownServers()?.byIdentifier.get(rolesReadBy(client) ?? '')
  return server?.disabled ? undefined : server
}
