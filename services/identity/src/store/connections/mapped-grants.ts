import type { Prisma } from '@gatehouse/prisma/database'
import { authorityOfUser } from '@gatehouse/proto/authority'
import { lockUsers } from '../groups/locked-groups.ts'

type Transaction = Prisma.TransactionClient

/** Whose groups and roles are taken: of all by a connection, or of one user. */
type Which = { connectionId: string; userId?: string }

/** Locks the users to whom a connection gave groups or roles, before what is locked after users. */
export async function lockThoseWithGrants(transaction: Transaction, connectionId: string): Promise<void> {
  const rows = await transaction.connectionGrant.findMany({
    where: { connectionId },
    distinct: ['userId'],
    select: { userId: true },
  })
  if (rows.length === 0) return
  const ids = rows.map(({ userId }) => userId)
  await lockUsers(transaction, ids, 'against other groups')
}

/** Notes that users have a group from elsewhere, too, so that no mapping takes it. The users are locked. */
export async function keepGroup(
  transaction: Transaction,
  groupId: string,
  userIds: readonly string[],
): Promise<void> {
  await transaction.connectionGrant.deleteMany({ where: { groupId, userId: { in: [...userIds] } } })
}

/** As `keepGroup`, for roles in an organization, or in none. */
export async function keepRoles(
  transaction: Pick<Transaction, '$executeRawUnsafe'>,
  roles: readonly { userId: string; resourceId: string; role: string }[],
  organization: string | undefined,
): Promise<void> {
  await transaction.$executeRawUnsafe(
    `delete from identity.connection_grants g
    using identity.role_assignments a, unnest($1::uuid[], $2::uuid[], $3::text[]) t(user_id, resource_id, role)
    where a.user_id = t.user_id and a.resource_id = t.resource_id and a.role = t.role
      and a.organization_id is not distinct from $4::text and g.assignment_id = a.assignment_id`,
    roles.map(({ userId }) => userId),
    roles.map(({ resourceId }) => resourceId),
    roles.map(({ role }) => role),
    organization ?? null,
  )
}

/**
 * Takes the groups and roles that the mapping of a connection gave.
 * @returns the keys of the authority that ends, for `endAuthority`
 */
export async function takeGrants(
  transaction: Transaction,
  { connectionId, userId }: Which,
): Promise<string[]> {
  // The rows of connection_grants go with what they tell of.
  const rows = await transaction.$queryRawUnsafe<{ userId: string }[]>(
    `with given as (
      select * from identity.connection_grants where connection_id = $1 and ($2::uuid is null or user_id = $2::uuid)
    ), left_groups as (
      delete from identity.group_members m using given g where m.group_id = g.group_id and m.user_id = g.user_id
      returning m.user_id
    ), left_roles as (
      delete from identity.role_assignments a using given g where a.assignment_id = g.assignment_id returning g.user_id
    )
    select distinct user_id as "userId" from (table left_groups union all table left_roles) taken order by 1`,
    connectionId,
    userId ?? null,
  )
  return rows.map(({ userId }) => authorityOfUser(userId))
}
