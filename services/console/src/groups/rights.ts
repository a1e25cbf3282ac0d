import type { Place } from '../names/place.ts'
import { useAdministrator, useMay } from '../shell/administrator.tsx'

/** Whether administrators change the name and the members of a group, and no directory. */
export function isLocal({ source }: { source: string }): boolean {
  return source === 'local'
}

/** The rights of the logged-in administrator over groups, members and roles in a place. */
export function useGroupRights({ organization_id: organization }: Place) {
  const { data } = useAdministrator()
  const may = useMay()
  const mayWrite = may(organization === undefined ? 'groups' : 'organizations', 'write')
  const owner = data?.scopes.includes('admin') ?? false
  return {
    /** Whether they may give roles to groups. */
    mayWrite,
    /** Whether they may change a group and its members. */
    mayChange: (group: { source: string }) => mayWrite && isLocal(group),
    /** Whether they may change the groups and roles of a user: the API lets owners alone act on administrators. */
    mayChangeUser: (user: { admin_role?: string }) => mayWrite && (owner || user.admin_role === undefined),
    /** Whether they see the page about a user in this place. */
    mayReadUser: may(organization === undefined ? 'users' : 'organizations', 'read'),
  }
}
