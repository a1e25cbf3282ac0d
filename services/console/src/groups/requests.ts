import type {
  GroupChange,
  GroupMembersChange,
  GroupToCreate,
  RoleHoldersChange,
  RolesChange,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'
import { type Place, pathIn } from '../names/place.ts'
import type { Holder } from './holder.ts'

/** A group, by its id, and where it is. */
export type GroupAt = Place & { group_id: string }

/** The parameters of a request about a group. */
export const atGroup = (group: GroupAt) => ({ params: { path: group } })

/** Creates a group. */
export function createGroup(place: Place, body: GroupToCreate) {
  return dataOf(api.POST(pathIn(place, '/admin/api/groups'), { params: { path: place } as object, body }))
}

/** Changes the name and the description of a group. */
export function changeGroup(group: GroupAt, body: GroupChange) {
  return dataOf(api.PATCH(pathIn(group, '/admin/api/groups/{group_id}'), { ...atGroup(group), body }))
}

/** Deletes a group for good. */
export function deleteGroup(group: GroupAt) {
  return dataOf(api.DELETE(pathIn(group, '/admin/api/groups/{group_id}'), atGroup(group)))
}

/** Adds users to a group, and removes users. @returns a result for each */
export function changeMembers(group: GroupAt, body: GroupMembersChange) {
  return dataOf(api.PATCH(pathIn(group, '/admin/api/groups/{group_id}/members'), { ...atGroup(group), body }))
}

/** Gives roles to a user or a group, and takes roles. @returns a result for each */
export function changeRoles({ kind, id, place }: Holder, body: RolesChange) {
  return kind === 'group'
    ? dataOf(
        api.PATCH(pathIn(place, '/admin/api/groups/{group_id}/roles'), {
          ...atGroup({ ...place, group_id: id }),
          body,
        }),
      )
    : dataOf(
        api.PATCH(pathIn(place, '/admin/api/users/{user_id}/roles'), {
          params: { path: { ...place, user_id: id } },
          body,
        }),
      )
}

/** Gives a role to users and groups, and takes it. @returns a result for each */
export function changeHolders(place: Place, resourceId: string, role: string, body: RoleHoldersChange) {
  const params = { path: { ...place, resource_id: resourceId, role } }
  const path = pathIn(place, '/admin/api/resources/{resource_id}/roles/{role}/holders')
  return dataOf(api.PATCH(path, { params, body }))
}
