import { useAdministrator, useMay } from '../shell/administrator.tsx'

/** The rights of the logged-in administrator over users, beyond those of areas. */
export function useRights() {
  const { data } = useAdministrator()
  const mayWrite = useMay()('users', 'write')
  const owner = data?.scopes.includes('admin') ?? false
  return {
    /** Whether they may make users administrators. */
    mayGiveRoles: owner,
    /** Whether they may change a user: the API lets owners alone act on administrators. */
    mayChange: (user: { admin_role?: string }) => mayWrite && (owner || user.admin_role === undefined),
    /** Whether a user is the logged-in administrator, who cannot disable or delete themselves. */
    isSelf: (user: { user_id: string }) => data?.kind === 'user' && data.id === user.user_id,
  }
}
