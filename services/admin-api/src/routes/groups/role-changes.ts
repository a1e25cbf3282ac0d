import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Actor } from '@gatehouse/proto/audit/v1'
import type { ResourceServer } from '@gatehouse/proto/clientregistry/v1'
import type { RoleAssignment } from '@gatehouse/proto/identity/v1'
import type { AdminDeps } from '../../deps.ts'
import { known } from '../../reach.ts'
import { longDeadline, refused, resultBody } from './assignment-result.ts'
import { hasRole } from './role-body.ts'

type Deps = Pick<AdminDeps, 'identity' | 'clientRegistry'>

/** An assignment as a request has it, or why it cannot be one. */
export type Asked = Omit<RoleAssignment, 'resource'> | string

/** Finds resource servers by their ids. Those that do not exist are absent. */
export async function resourceServersOf(
  ids: readonly string[],
  { clientRegistry }: Pick<Deps, 'clientRegistry'>,
): Promise<ReadonlyMap<string, ResourceServer>> {
  const found = await Promise.all(
    [...new Set(ids)].filter(isUuid).map(async (resourceId) => {
      const answer = await known(() => clientRegistry.getResourceServer({ resourceId }))
      return answer?.resourceServer ? ([[resourceId, answer.resourceServer]] as const) : []
    }),
  )
  return new Map(found.flat())
}

/**
 * Checks that there is a role: its resource server has it, or somebody still has it, from whom it can be taken.
 * @throws Refusal not_found
 */
export async function checkRole(
  resourceId: string,
  role: string,
  deps: Deps,
  place: { organizationId?: string },
): Promise<void> {
  const servers = await resourceServersOf([resourceId], deps)
  if (hasRole(servers.get(resourceId), role)) return
  const { holders } = await deps.identity.listRoleHolders({ resourceId, role, limit: 1, ...place })
  if (holders.length === 0) throw new Refusal('not_found', 'There is no such role.')
}

/**
 * Takes roles, then gives roles, and says why single ones cannot be given: resource servers have roles, and the identity service, which
 * has the assignments, does not know them.
 * @returns a result for each, in the order of the request
 * @throws Refusal invalid_request for more than a request may name
 */
export async function changeRoles(
  { give, take }: { give: readonly Asked[]; take: readonly Asked[] },
  actor: Actor,
  deps: Deps,
  place: { organizationId?: string },
) {
  const ids = give.flatMap((asked) => (typeof asked === 'string' ? [] : [asked.resourceId]))
  const servers = await resourceServersOf(ids, deps)
  const toGive = give.map((asked) => (typeof asked === 'string' ? asked : checked(asked, servers)))
  const toTake = take.map((asked) => (typeof asked === 'string' ? asked : { ...asked, resource: '' }))
  const request = { give: valid(toGive), take: valid(toTake), actor, ...place }
  const { given, taken } = await deps.identity.changeRoles(request, longDeadline())
  return { given: merged(toGive, given), taken: merged(toTake, taken) }
}

function checked(
  asked: Omit<RoleAssignment, 'resource'>,
  servers: ReadonlyMap<string, ResourceServer>,
): RoleAssignment | string {
  const server = servers.get(asked.resourceId)
  if (server === undefined) return 'There is no such resource server.'
  if (!hasRole(server, asked.role)) return 'The resource server has no such role.'
  return { ...asked, resource: server.identifier }
}

function valid(items: readonly (RoleAssignment | string)[]): RoleAssignment[] {
  return items.filter((item) => typeof item !== 'string')
}

/** The results of all items: those that were refused here, and those of the service. */
function merged(
  items: readonly (RoleAssignment | string)[],
  results: readonly Parameters<typeof resultBody>[0][],
) {
  const next = results.values()
  return items.map((item) => (typeof item === 'string' ? refused(item) : resultBody(next.next().value)))
}
