import { userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import type { Target } from '../clients/resource-indicators.ts'
import type { ResourceServer } from '../clients/resource-servers.ts'
import { rolesOfClient } from './client-fields.ts'
import type { Acting, AuthorityDeps, UserAuthority } from './needs.ts'
import { mostListed, writtenClaims } from './written-claims.ts'

/** All that roles and groups decide about an access token, with the revisions by which it was decided. */
export type TokenAuthority = {
  /** The claims about groups, roles and attributes that it has; undefined for none. */
  carried: Readonly<Record<string, unknown>> | undefined
  /** Of the identity service; undefined where a user's roles and groups do not count. */
  authorityRevision: bigint | undefined
  /** The newest of its resource servers; undefined where roles do not count. */
  rolesRevision: bigint | undefined
}

/** An access token that was judged. */
export type Judgement = {
  /** Space-separated. */
  scope: string
  /** undefined for a token that roles and groups do not concern. */
  authority: TokenAuthority | undefined
}

type Servers = Pick<Target, 'servers'>

/** The judgement of a token that roles and groups do not concern. */
export const unconcerned = (scope: string): Judgement => ({ scope, authority: undefined })

/** Whether roles, groups or attributes decide about access tokens for a target. */
export function concerns(target: Servers): boolean {
  return target.servers.some(({ scopesByRole }) => scopesByRole) || listedClaims(target).size > 0
}

/** The claims that access tokens for a target have. One for several resource servers has none: each of them reads it. */
function listedClaims({ servers: [first, ...others] }: Servers): ReadonlySet<string> {
  return new Set(first && others.length === 0 ? first.tokenClaims : [])
}

/** Judges an access token, as `Authority` says. */
export async function judge(
  acting: Acting,
  target: Servers,
  scope: string,
  deps: Pick<AuthorityDeps, 'findAuthority' | 'findAttributes'>,
): Promise<Judgement | undefined> {
  if (!concerns(target)) return unconcerned(scope)
  const listed = listedClaims(target)
  const read = target.servers.filter(({ scopesByRole }) => scopesByRole || listed.has('roles'))
  const names = userAttributeEntries.flatMap(([name]) => (listed.has(name) ? [name] : []))
  const found = await find(acting, { read, names, groups: listed.has('groups') }, deps)
  if (found === undefined) return undefined
  const { authority, attributes } = found
  const rolesAt = (server: ResourceServer) => existingRoles(server, acting, authority)
  const left = scopeByRole(scope, target, rolesAt)
  if (left === undefined) return undefined
  const [server] = target.servers
  const told = {
    groups: listed.has('groups') && acting.userId !== undefined ? authority?.groups : undefined,
    roles: listed.has('roles') && server ? { resource: server.name, names: rolesAt(server) } : undefined,
  }
  const carried = { ...attributes, ...writtenClaims(told, server?.claimsShape ?? 'flat', mostListed) }
  return {
    scope: left,
    authority: {
      carried: Object.keys(carried).length > 0 ? carried : undefined,
      authorityRevision: authority?.revision,
      rolesRevision: read.length > 0 ? newestOf(target) : undefined,
    },
  }
}

/**
 * Asks for all that is needed at once. In an organization, attributes of the instance do not count.
 * @returns undefined for a user who is not active, or cannot act in the organization
 */
async function find(
  { userId, organizationId }: Acting,
  { read, names, groups }: { read: readonly ResourceServer[]; names: readonly string[]; groups: boolean },
  { findAuthority, findAttributes }: Pick<AuthorityDeps, 'findAuthority' | 'findAttributes'>,
) {
  if (userId === undefined) return {}
  const resourceIds = read.map(({ resourceId }) => resourceId)
  const asksAuthority = read.length > 0 || groups
  const [authority, all] = await Promise.all([
    asksAuthority ? findAuthority({ userId, organizationId, resourceIds, groups }) : undefined,
    names.length > 0 ? findAttributes(userId, organizationId) : undefined,
  ])
  if ((asksAuthority && authority === undefined) || (names.length > 0 && all === undefined)) return undefined
  const attributes = names.flatMap((name) => (all?.[name] === undefined ? [] : [[name, all[name]] as const]))
  return { authority, attributes: Object.fromEntries(attributes) }
}

/** The roles of somebody at a resource server, sorted: only those that it still has. */
export function existingRoles(
  server: ResourceServer,
  { client, userId }: Acting,
  authority: Pick<UserAuthority, 'roles'> | undefined,
): string[] {
  const names =
    userId === undefined ? rolesOfClient(client, server) : (authority?.roles.get(server.resourceId) ?? [])
  return [...new Set(names)].filter((name) => server.roles.has(name)).sort()
}

/**
 * The part of a scope that roles give. Each resource server whose scopes are given by roles must give a scope that it has defined, since
 * it would accept the token for it.
 * @returns undefined when nothing is left of it, or of what it has of one of the resource servers
 */
function scopeByRole(
  scope: string,
  { servers }: Servers,
  rolesAt: (server: ResourceServer) => readonly string[],
): string | undefined {
  const words = scope.split(' ')
  const giving = servers
    .filter(({ scopesByRole }) => scopesByRole)
    .map((server) => ({
      scopes: server.scopes,
      given: new Set(rolesAt(server).flatMap((role) => server.roles.get(role) ?? [])),
    }))
  const left = words.filter((word) =>
    giving.every(({ scopes, given }) => !scopes.has(word) || given.has(word)),
  )
  const isLost = ({ scopes }: ResourceServer) =>
    words.some((word) => scopes.has(word)) && !left.some((word) => scopes.has(word))
  return left.length === 0 || servers.some(isLost) ? undefined : left.join(' ')
}

function newestOf({ servers }: Servers): bigint {
  return servers.reduce((newest, { revision }) => (revision > newest ? revision : newest), 0n)
}

/** Whether the scope of tokens for one of these resource servers must have been judged by roles. */
export function isByRole(
  identifiers: readonly string[],
  { knownServers }: Pick<AuthorityDeps, 'knownServers'>,
): boolean {
  const known = knownServers()
  return identifiers.some((identifier) => known?.byIdentifier.get(identifier)?.scopesByRole === true)
}
