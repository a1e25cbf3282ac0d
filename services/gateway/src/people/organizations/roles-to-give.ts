import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { ClientRegistryServiceService } from '@gatehouse/proto/clientregistry/v1'

/** The needs of looking up roles. */
export type RolesToGiveDeps = {
  clientRegistry: Pick<RpcClient<typeof ClientRegistryServiceService>, 'lookupResourceServers'>
}

/** A role of a resource server that organizations may give. */
export type RoleToGive = { resourceId: string; resource: string; role: string }

/** The roles that organizations may give, of the resource servers that are not disabled, by their identifiers. */
export async function rolesToGive({ clientRegistry }: RolesToGiveDeps): Promise<RoleToGive[]> {
  const { resourceServers } = await clientRegistry.lookupResourceServers({ version: undefined })
  return resourceServers
    .filter(({ disabled }) => !disabled)
    .flatMap(({ resourceId, identifier, roles }) =>
      roles
        .filter(({ organizationsMayGive }) => organizationsMayGive)
        .map(({ name }) => ({ resourceId, resource: identifier, role: name })),
    )
    .toSorted((a, b) => a.resource.localeCompare(b.resource) || a.role.localeCompare(b.role))
}

/** A role in the value of a field, and back. */
export const roleKey = ({ resourceId, role }: Pick<RoleToGive, 'resourceId' | 'role'>) =>
  `${resourceId}:${role}`
