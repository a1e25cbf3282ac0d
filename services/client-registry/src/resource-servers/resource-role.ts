import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { resourceServerLimits as limits, roleNameFault } from '@gatehouse/proto/resource-servers'
import { checkOptionalText, refuse } from './checked-text.ts'

/** A role at a resource server. */
export type ResourceRole = {
  name: string
  /** For administrators; may be empty. */
  description: string
  /** Those of the resource server's scopes that it gives. */
  scopes: readonly string[]
  /** Whether owners of organizations may give it. */
  organizationsMayGive: boolean
}

type Scopes = readonly { scope: string }[]

/**
 * Checks the roles of a resource server.
 * @param scopes those of the resource server
 * @returns the roles, with the white space around descriptions removed
 * @throws Refusal invalid_request, which names the field
 */
export function checkRoles(roles: readonly ResourceRole[], scopes: Scopes): ResourceRole[] {
  if (roles.length > limits.roles) refuse(`roles must have at most ${limits.roles} roles`)
  const known = new Set(scopes.map(({ scope }) => scope))
  const seen = new Map<string, string>()
  return roles.map(({ name, description, scopes: given, organizationsMayGive }, index) => {
    const field = `roles[${index}]`
    const fault = roleNameFault(name) ?? visibleTextFault(name)
    if (fault) refuse(`${field}.name ${fault}`)
    // Names are exact, as claims are; but nobody could tell apart two that differ in case alone.
    const other = seen.get(name.toLowerCase())
    if (other === name) refuse(`${field}.name is that of a role that the list has before`)
    if (other !== undefined) refuse(`${field}.name differs from ${other} only in upper and lower case`)
    seen.set(name.toLowerCase(), name)
    const unknown = given.find((scope) => !known.has(scope))
    if (unknown !== undefined)
      refuse(`${field}.scopes must be scopes of the resource server; ${unknown} is not`)
    return {
      name,
      description: checkOptionalText(`${field}.description`, description, limits.description),
      scopes: [...new Set(given)],
      organizationsMayGive,
    }
  })
}

/** The same roles, without scopes that the resource server does not have. */
export function withinScopes(roles: readonly ResourceRole[], scopes: Scopes): ResourceRole[] {
  const known = new Set(scopes.map(({ scope }) => scope))
  return roles.map((role) => ({ ...role, scopes: role.scopes.filter((scope) => known.has(scope)) }))
}

/** The names of the roles that a change deletes, or from which it takes a scope. */
export function lostRoles(before: readonly ResourceRole[], after: readonly ResourceRole[]): string[] {
  const left = new Map(after.map(({ name, scopes }) => [name, new Set(scopes)]))
  return before
    .filter(({ name, scopes }) => !scopes.every((scope) => left.get(name)?.has(scope)) || !left.has(name))
    .map(({ name }) => name)
}

/** Says whether a resource server has a role. @param resource its identifier */
export type HasRole = (role: { resource: string; role: string }) => boolean

/** Finds the roles that resource servers have. */
export function rolesOf(
  resourceServers: readonly { identifier: string; roles: readonly { name: string }[] }[],
): HasRole {
  const known = new Map(
    resourceServers.map(({ identifier, roles }) => [identifier, new Set(roles.map(({ name }) => name))]),
  )
  return ({ resource, role }) => known.get(resource)?.has(role) === true
}
