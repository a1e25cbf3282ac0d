import { randomUUID } from 'node:crypto'
import type { Actor } from '@gatehouse/kit/actor'
import type { ItemResult } from '../../src/basics/item-result.ts'
import { createGroup } from '../../src/groups/group-change.ts'
import { changeMembers } from '../../src/groups/group-members.ts'
import type { Place } from '../../src/organizations/acting.ts'
import { changeRoles, type Holder, type RoleAssignment } from '../../src/roles/role-assignment.ts'
import { actor, type Replica } from '../store/replica.ts'

/** An administrator of only a part. */
export const support: Actor = { ...actor, limited: true }

/** The result of what was changed, and of what was so before. */
export const done: ItemResult = { outcome: 'done' }
export const unchanged: ItemResult = { outcome: 'unchanged' }

/** The result of what was refused. */
export const refusedFor = (reason: string): ItemResult => ({ outcome: 'refused', reason })

/** The reason for which a limited administrator is refused. */
export const outOfReach = (why: string) => `This needs the scope admin, or the role owner: ${why}.`

/** A resource server of which the service knows the id and the identifier. */
export const newResource = () => {
  const resourceId = randomUUID()
  return { resourceId, resource: `https://${resourceId}.example/` }
}

/** Creates a group with members. */
export async function addGroup(
  replica: Replica,
  members: readonly string[] = [],
  name: string = randomUUID(),
  place: Place = {},
) {
  const { groupId } = await createGroup({ name, description: '' }, actor, replica.groups, place)
  for (let from = 0; from < members.length; from += 500)
    await join(replica, groupId, members.slice(from, from + 500), actor, place)
  return { groupId, name }
}

/** Adds users to a group. */
export async function join(
  replica: Replica,
  groupId: string,
  add: readonly string[],
  by = actor,
  place: Place = {},
) {
  return (await changeMembers({ groupId, add, remove: [] }, by, replica.groups, place)).added
}

/** Removes users from a group. */
export async function leave(
  replica: Replica,
  groupId: string,
  remove: readonly string[],
  by = actor,
  place: Place = {},
) {
  return (await changeMembers({ groupId, add: [], remove }, by, replica.groups, place)).removed
}

export const user = (id: string): Holder => ({ kind: 'user', id })
export const group = (id: string): Holder => ({ kind: 'group', id })

/** A role for each holder. */
export const rolesFor = (
  resource: ReturnType<typeof newResource>,
  role: string,
  ...holders: Holder[]
): RoleAssignment[] => holders.map((holder) => ({ ...resource, role, holder }))

/** Gives roles. */
export async function give(
  replica: Replica,
  assignments: readonly RoleAssignment[],
  by = actor,
  place: Place = {},
) {
  return (await changeRoles({ give: assignments, take: [] }, by, replica.roles, place)).given
}

/** Takes roles. */
export async function take(
  replica: Replica,
  assignments: readonly RoleAssignment[],
  by = actor,
  place: Place = {},
) {
  return (await changeRoles({ give: [], take: assignments }, by, replica.roles, place)).taken
}

/** The keys of the authority that a replica has told the token service to end, sorted. */
export const endedIn = ({ revoked }: Replica) =>
  revoked.map(({ target }) => target.replace(/^\d+:/, '')).sort()
