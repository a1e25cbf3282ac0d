/** The scope with which an access token may administer everything. */
export const adminScope = 'admin'

/** The parts of the administration, with words for people. */
export const adminAreas = {
  clients: 'Clients and their secrets',
  users: 'Users, their sessions, factors and passwords',
  tokens: 'Access tokens',
  resources: 'Resource servers',
  keys: 'Signing keys',
  mails: 'Mails',
  activity: 'Logins, failed client authentications, usage and the audit log',
  system: 'The state of the system',
} as const

/** The name of a part of the administration. */
export type AdminArea = keyof typeof adminAreas

/** What an operation of the admin API does with its area. */
export type AdminAccess = 'read' | 'write'

/** The scope with which an access token may read or change one part of the administration, without having `admin`. */
export function areaScope(area: AdminArea, access: AdminAccess): string {
  return `${adminScope}:${area}:${access}`
}

/** Whether a scope is for the administration. Only administrators give such scopes to clients. */
export function isAdminScope(scope: string): boolean {
  return scope === adminScope || scope.startsWith(`${adminScope}:`)
}

/** Whether one of the words of a scope is for the administration. @param scope space-separated */
export function hasAdminScope(scope: string): boolean {
  return scope.split(' ').some(isAdminScope)
}
