import type { Prisma } from '@gatehouse/prisma/database'
import type { LockedGroup } from '../../groups/group.ts'
import type { InOrganization } from '../../organizations/acting.ts'
import { hasRoleSql } from '../admin-roles.ts'

const lockSql = {
  'against other changes': 'for update',
  'against deletion': 'for key share',
} as const

/**
 * Locks groups until the transaction ends, always in this order, and after all users that it locks.
 * @param how `against other changes`: nobody joins them either, so what is taken from a group is taken from all of its members
 * @returns those that exist in the organization
 */
export async function lockGroups(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  groupIds: readonly string[],
  how: keyof typeof lockSql,
  organization: InOrganization,
): Promise<LockedGroup[]> {
  if (groupIds.length === 0) return []
  const locked = await transaction.$queryRawUnsafe<{ groupId: string }[]>(
    `select group_id as "groupId" from identity.groups
    where group_id = any($1::uuid[]) and organization_id is not distinct from $2::text order by group_id ${lockSql[how]}`,
    groupIds,
    organization ?? null,
  )
  // In a statement of its own: one that waits for a lock sees the members from before.
  return transaction.$queryRawUnsafe<LockedGroup[]>(
    `select g.group_id as "groupId", g.name, g.source,
      exists (select from identity.group_members m where m.group_id = g.group_id) as "hasMembers",
      exists (
        select from identity.users u join identity.group_members m on m.user_id = u.id
        where m.group_id = g.group_id and ${hasRoleSql('u')}
      ) as "hasAdministrators"
    from identity.groups g where g.group_id = any($1::uuid[])`,
    locked.map(({ groupId }) => groupId),
  )
}

/** A user who is locked until the transaction ends. */
export type LockedUser = { userId: string; isAdministrator: boolean }

/**
 * Locks users until the transaction ends, always in this order.
 * @param how `against deletion`, or so that nobody else puts them into groups meanwhile
 * @returns those who exist
 */
export function lockUsers(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  userIds: readonly string[],
  how: 'against deletion' | 'against other groups',
): Promise<LockedUser[]> {
  return transaction.$queryRawUnsafe<LockedUser[]>(
    `select u.id as "userId", ${hasRoleSql('u')} as "isAdministrator" from identity.users u
    where u.id = any($1::uuid[]) order by u.id ${how === 'against deletion' ? 'for key share' : 'for no key update'}`,
    userIds,
  )
}
