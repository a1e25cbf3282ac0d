import { type AuthorityScope, authorityScopes, claimsOfAuthorityScopes } from '@gatehouse/proto/claims'
import type { Client } from '../clients/client-authentication.ts'
import { findMembership } from '../organizations/organizations.ts'
import { rolesReadBy, shapeReadBy } from './client-fields.ts'
import { existingRoles } from './judgement.ts'
import type { AuthorityDeps } from './needs.ts'
import { mostListed, writtenClaims } from './written-claims.ts'

/** The claims about a user's groups, roles and organization that a client wants outside of access tokens. */
export type ClaimsAbout = {
  /** Its scope of now permits the claims that it asks for one by one. */
  client: Pick<Client, 'metadata' | 'scope'>
  userId: string
  /** That of the grant; undefined for the instance. */
  organizationId: string | undefined
  /** The granted scope, space-separated. */
  scope: string
  /** The claims that it asked for one by one (OpenID Connect Core section 5.5). */
  requested: Readonly<Record<string, unknown>>
  /** Whether they go into a token, which must not get too large for a header. */
  inToken: boolean
}

/** The scopes that give claims about groups, roles and organizations: none that a resource server has defined, which keeps its meaning. */
export function claimScopes({ knownServers }: Pick<AuthorityDeps, 'knownServers'>): AuthorityScope[] {
  const known = knownServers()
  return authorityScopes.filter((name) => known?.scopes.has(name) === false)
}

type Deps = Pick<AuthorityDeps, 'findAuthority' | 'knownServers' | 'organizations'>

/**
 * The claims about a user's groups and roles, and about the organization in which they act. It asks nobody unless the client wants and may
 * have some.
 * @returns undefined for a user who is not active, or cannot act in the organization
 * @throws Refusal temporarily_unavailable
 */
export async function claimsAbout(
  wanted: ClaimsAbout,
  deps: Deps,
): Promise<Record<string, unknown> | undefined> {
  const [ofRoles, ofOrganization] = await Promise.all([
    groupsAndRoles(wanted, deps),
    namesOfOrganization(wanted, deps),
  ])
  return ofRoles && ofOrganization && { ...ofRoles, ...ofOrganization }
}

/** The claims of a scope that a client gets: all of them, or those that it asked for one by one. */
function wantedClaims(
  name: AuthorityScope,
  { client, scope, requested }: ClaimsAbout,
  deps: Pick<AuthorityDeps, 'knownServers'>,
): readonly string[] {
  if (!claimScopes(deps).includes(name)) return []
  const all: readonly string[] = claimsOfAuthorityScopes[name]
  if (scope.split(' ').includes(name)) return all
  return client.scope.split(' ').includes(name) ? all.filter((claim) => Object.hasOwn(requested, claim)) : []
}

async function groupsAndRoles(wanted: ClaimsAbout, deps: Deps): Promise<Record<string, unknown> | undefined> {
  const { client, userId, organizationId, inToken } = wanted
  const groups = wantedClaims('groups', wanted, deps).length > 0
  const server = wantedClaims('roles', wanted, deps).length > 0 ? serverReadBy(client, deps) : undefined
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

async function namesOfOrganization(
  wanted: ClaimsAbout,
  deps: Deps,
): Promise<Record<string, unknown> | undefined> {
  const { userId, organizationId } = wanted
  const claims = organizationId === undefined ? [] : wantedClaims('organization', wanted, deps)
  if (organizationId === undefined || claims.length === 0) return {}
  const membership = await findMembership(userId, organizationId, deps.organizations)
  if (membership === undefined) return undefined
  const all: Readonly<Record<string, string>> = { org_name: membership.name, org_slug: membership.slug }
  return Object.fromEntries(claims.map((claim) => [claim, all[claim]]))
}

function serverReadBy(
  client: Pick<Client, 'metadata'>,
  { knownServers }: Pick<AuthorityDeps, 'knownServers'>,
) {
  const server = knownServers()?.byIdentifier.get(rolesReadBy(client) ?? '')
  return server?.disabled ? undefined : server
}
