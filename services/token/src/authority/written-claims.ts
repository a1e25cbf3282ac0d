import type { ClaimsShape } from '@gatehouse/proto/resource-servers'

/** The longest list of names in a token. */
export const mostListed = 200

/** Groups and roles that are told; undefined for what is not. */
export type ToldAuthority = {
  groups?: readonly string[] | undefined
  /** Of one resource server. */
  roles?: { resource: string; names: readonly string[] } | undefined
}

/**
 * Writes groups and roles as claims. Keycloak has roles of the realm and those of a client: here both are the roles of the resource
 * server. It writes a group as a path.
 * @param most a longer list is left out, and its overage told instead
 */
export function writtenClaims(
  { groups, roles }: ToldAuthority,
  shape: ClaimsShape,
  most: number,
): Record<string, unknown> {
  return {
    ...(groups && (groups.length > most ? { groups_overage: true } : { groups: groupNames(groups, shape) })),
    ...(roles && (roles.names.length > most ? { roles_overage: true } : roleClaims(roles, shape))),
  }
}

function groupNames(groups: readonly string[], shape: ClaimsShape): readonly string[] {
  return shape === 'keycloak' ? groups.map((name) => `/${name}`) : groups
}

function roleClaims({ resource, names }: NonNullable<ToldAuthority['roles']>, shape: ClaimsShape) {
  if (shape === 'flat') return { roles: names }
  return { realm_access: { roles: names }, resource_access: { [resource]: { roles: names } } }
}
