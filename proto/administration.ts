/** The scope with which an access token may administer everything. */
export const adminScope = 'admin'

/**
 * The parts of the administration. `groups` has the groups of users and the roles of resource servers that users and groups have: it says
 * who may do what in apps, which is another trust than to help users. `organizations` has organizations with their members, groups and roles. `connections`
 * has the connections to other identity providers and the links of users: whoever changes a connection of the instance can log in as
 * everybody who is linked to it, so no role below an owner may. `activity` has logins, failed client authentications, usage and the audit log; `events` has the
 * deliveries of events.
 */
export const adminAreas = [
  'clients',
  'users',
  'groups',
  'organizations',
  'connections',
  'tokens',
  'resources',
  'keys',
  'mails',
  'activity',
  'events',
  'system',
] as const

/** The name of a part of the administration. */
export type AdminArea = (typeof adminAreas)[number]

/** The kind of access that an operation of the admin API needs to its area. */
export type AdminAccess = 'read' | 'write'

/** The scope with which an access token may read or change one part of the administration, without having `admin`. */
export function areaScope(area: AdminArea, access: AdminAccess): string {
  return `${adminScope}:${area}:${access}`
}

/** The scopes for one part each of the administration, without `admin`. */
export const adminScopes: readonly string[] = adminAreas.flatMap((area) => bothScopes(area))

/**
 * The roles that users may have in the administration, from the one that allows least, with words for people and the scopes that
 * they stand for. An owner is an administrator without limits.
 */
export const adminRoles = {
  viewer: {
    title: 'Viewer',
    description: 'Sees everything, and changes nothing.',
    scopes: adminAreas.map((area) => areaScope(area, 'read')),
  },
  support: {
    title: 'Support',
    description:
      'Helps users: changes them, their sessions, factors, passwords, tokens and mails. Sees groups, organizations, connections, clients and logins.',
    scopes: [
      ...(['users', 'tokens', 'mails'] as const).flatMap((area) => bothScopes(area)),
      ...(['groups', 'organizations', 'connections', 'clients', 'activity', 'system'] as const).map((area) =>
        areaScope(area, 'read'),
      ),
    ],
  },
  client_manager: {
    title: 'Client manager',
    description:
      'Creates and changes clients and resource servers. Sees groups, organizations, connections, tokens and logins.',
    scopes: [
      ...(['clients', 'resources'] as const).flatMap((area) => bothScopes(area)),
      ...(['groups', 'organizations', 'connections', 'tokens', 'activity', 'system'] as const).map((area) =>
        areaScope(area, 'read'),
      ),
    ],
  },
  owner: { title: 'Owner', description: 'Does everything.', scopes: [adminScope] },
} as const satisfies Record<string, { title: string; description: string; scopes: readonly string[] }>

/** The name of a role in the administration. */
export type AdminRole = keyof typeof adminRoles

/** A role that allows only a part. */
export type LimitedRole = Exclude<AdminRole, 'owner'>

/** The names of the roles. */
export const adminRoleNames = Object.keys(adminRoles) as AdminRole[]

/** Whether a text is the name of a role. */
export function isAdminRole(text: string): text is AdminRole {
  return Object.hasOwn(adminRoles, text)
}

/**
 * The role of a user as services name it.
 * @returns undefined for somebody who is no administrator
 */
export function adminRoleOf({
  admin,
  adminRole = '',
}: {
  admin: boolean
  adminRole?: string | undefined
}): AdminRole | undefined {
  if (admin) return 'owner'
  return isAdminRole(adminRole) ? adminRole : undefined
}

/** Whether one of some scopes allows what needs another: it is that one, or `admin`, which stands for all. */
export function allowsScope(scopes: readonly string[], wanted: string): boolean {
  return scopes.includes(adminScope) || scopes.includes(wanted)
}

/** The roles that allow what needs a scope, from the one that allows least. */
export function rolesThatAllow(scope: string): AdminRole[] {
  return adminRoleNames.filter((role) => allowsScope(adminRoles[role].scopes, scope))
}

/** Whether a scope is for the administration. Only administrators give such scopes to clients. */
export function isAdminScope(scope: string): boolean {
  return scope === adminScope || scope.startsWith(`${adminScope}:`)
}

/** Whether one of the words of a scope is for the administration. @param scope space-separated */
export function hasAdminScope(scope: string): boolean {
  return scope.split(' ').some(isAdminScope)
}

function bothScopes(area: AdminArea): string[] {
  return [areaScope(area, 'read'), areaScope(area, 'write')]
}
