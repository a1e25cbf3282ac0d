import { type ClaimsShape, sameIdentifiers } from '@gatehouse/proto/resource-servers'
import type { Client } from '../clients/client-authentication.ts'
import { claimsShapeOf, type ResourceServer } from '../clients/resource-servers.ts'

// A document may come from a release of the registry without these fields.

/** The names of the roles that a client itself has at a resource server, in the order of its field `roles`. */
export function rolesOfClient({ metadata }: Pick<Client, 'metadata'>, server: ResourceServer): string[] {
  const { roles } = metadata as Readonly<Record<string, unknown>>
  if (!Array.isArray(roles)) return []
  const identifiers = sameIdentifiers(server.identifier)
  return roles.flatMap((one) => {
    const { resource, role } = Object(one) as Readonly<Record<string, unknown>>
    return typeof role === 'string' && identifiers.includes(String(resource)) ? [role] : []
  })
}

/** The identifier of the resource server whose roles a client reads in ID tokens and userinfo; undefined for none. */
export function rolesReadBy({ metadata }: Pick<Client, 'metadata'>): string | undefined {
  const { roles_of: identifier } = metadata as Readonly<Record<string, unknown>>
  return typeof identifier === 'string' ? identifier : undefined
}

/** The shape in which a client reads roles and groups there. */
export function shapeReadBy({ metadata }: Pick<Client, 'metadata'>): ClaimsShape {
  return claimsShapeOf((metadata as Readonly<Record<string, unknown>>).claims_shape)
}
