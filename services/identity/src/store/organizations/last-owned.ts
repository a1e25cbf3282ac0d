import type { Prisma } from '@gatehouse/prisma/database'

/**
 * Finds an organization that a user would leave to others without an active owner, and locks those that they own until the transaction
 * ends. In one that is disabled nobody can make another member an owner, so it does not count. Call it after locking the user.
 * @returns its name; undefined if there is none
 */
export async function lastOwnedBy(
  transaction: Pick<Prisma.TransactionClient, '$queryRaw'>,
  userId: string,
): Promise<string | undefined> {
  const owned = await transaction.$queryRaw<{ organizationId: string }[]>`
    select organization_id as "organizationId" from identity.organizations
    where organization_id in (
      select organization_id from identity.organization_members where user_id = ${userId}::uuid and role = 'owner'
    )
    order by organization_id for no key update`
  if (owned.length === 0) return undefined
  // In a statement of its own: one that waits for a lock sees the members from before.
  const [found] = await transaction.$queryRaw<{ name: string }[]>`
    select o.name from identity.organizations o
      join identity.organization_members own on own.organization_id = o.organization_id and own.user_id = ${userId}::uuid
    where o.organization_id = any(${owned.map(({ organizationId }) => organizationId)}::text[])
      and o.disabled_at is null and own.role = 'owner'
      and exists (
        select from identity.organization_members m where m.organization_id = o.organization_id and m.user_id <> ${userId}::uuid
      )
      and not exists (
        select from identity.organization_members m join identity.users u on u.id = m.user_id
        where m.organization_id = o.organization_id and m.user_id <> ${userId}::uuid
          and m.role = 'owner' and u.disabled_at is null
      )
    order by lower(o.name), o.organization_id limit 1`
  return found?.name
}
