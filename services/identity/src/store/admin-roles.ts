import type { AdminRole, LimitedRole } from '@gatehouse/proto/administration'

/** The SQL of a user's role in the administration; null for none. @param user the alias of identity.users */
export const adminRoleSql = (user: string) =>
  `case when ${user}.is_admin then 'owner' else ${user}.admin_role end`

/** The SQL condition that a user has a role. @param user the alias of identity.users */
export const hasRoleSql = (user: string) => `(${user}.is_admin or ${user}.admin_role is not null)`

/** The role that the columns of a user say; null for none. */
export function roleIn({
  isAdmin,
  adminRole,
}: {
  isAdmin: boolean
  adminRole: string | null
}): AdminRole | null {
  return isAdmin ? 'owner' : (adminRole as LimitedRole | null)
}

/** The columns of a user with a role. */
export function roleColumns(role: AdminRole | null) {
  const isAdmin = role === 'owner'
  return { isAdmin, adminRole: isAdmin ? null : role }
}
