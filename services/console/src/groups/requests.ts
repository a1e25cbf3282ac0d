import type {
  GroupChange,
  GroupMembersChange,
  GroupToCreate,
  RoleHoldersChange,
  RolesChange,
} from '@gatehouse/admin-api/generated/openapi'
import { api, dataOf } from '../api.ts'
import type { Holder } from './holder.ts'

/** The parameters of a request about a group. */
export const atGroup = (groupId: string) => ({ params: { path: { group_id: groupId } } })

/** Creates a group. */
export function createGroup(body: GroupToCreate) {
  return dataOf(api.POST('/admin/api/groups', { body }))
}

/** Changes the name and the description of a group. */
export function changeGroup(groupId: string, body: GroupChange) {
  return dataOf(api.PATCH('/admin/api/groups/{group_id}', { ...atGroup(groupId), body }))
}

/** Deletes a group for good. */
export function deleteGroup(groupId: string) {
  return dataOf(api.DELETE('/admin/api/groups/{group_id}', atGroup(groupId)))
}

/** Adds users to a group, and removes users. @returns a result for each */
export function changeMembers(groupId: string, body: GroupMembersChange) {
  return dataOf(api.PATCH('/admin/api/groups/{group_id}/members', { ...atGroup(groupId), body }))
}

/** Gives roles to a user or a group, and takes roles. @returns a result for each */
export function changeRoles({ kind, id }: Holder, body: RolesChange) {
  return kind === 'group'
    ? dataOf(api.PATCH('/admin/api/groups/{group_id}/roles', { ...atGroup(id), body }))
    : dataOf(api.PATCH('/admin/api/users/{user_id}/roles', { params: { path: { user_id: id } }, body }))
}

/** Gives a role to users and groups, and takes it. @returns a result for each */
export function changeHolders(resourceId: string, role: string, body: RoleHoldersChange) {
  const params = { path: { resource_id: resourceId, role } }
  return dataOf(api.PATCH('/admin/api/resources/{resource_id}/roles/{role}/holders', { params, body }))
}
