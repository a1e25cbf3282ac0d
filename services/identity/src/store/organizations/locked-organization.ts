import { isUuid } from '@gatehouse/kit/formats'
import type { Prisma } from '@gatehouse/prisma/database'
import type { MemberRole } from '@gatehouse/proto/organizations'
import {
  type ActingMember,
  checkRuns,
  type InOrganization,
  type LockedOrganization,
  type Place,
} from '../../organizations/acting.ts'
import { unknownOrganization } from '../../organizations/organization.ts'
import { hasRoleSql } from '../admin-roles.ts'

const lockSql = {
  'against other changes': 'for no key update',
  'against changes of members': 'for share',
  'for deletion': 'for update',
} as const

/**
 * Locks an organization until the transaction ends, after all users and before all groups that it locks.
 * @param how `against changes of members`: others who do the same do not wait, so it is for what is done in the organization
 * @param actingMember the member who makes the change; undefined for an administrator
 * @returns undefined for one that does not exist or is deleted; and where a member acts, for one that is disabled or that they do not belong to
 */
export async function lockOrganization(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  organizationId: string,
  how: keyof typeof lockSql,
  actingMember: ActingMember,
): Promise<LockedOrganization | undefined> {
  await transaction.$queryRawUnsafe(
    `select from identity.organizations where organization_id = $1 ${lockSql[how]}`,
    organizationId,
  )
  // In a statement of its own: one that waits for a lock sees the members from before.
  const [found] = await transaction.$queryRawUnsafe<
    (Omit<LockedOrganization, 'acting'> & { acting: MemberRole | null })[]
  >(
    `select o.organization_id as "organizationId", o.slug, o.disabled_at is not null as disabled,
      exists (
        select from identity.users u where ${hasRoleSql('u')} and exists (
          select from identity.organization_members m where m.organization_id = o.organization_id and m.user_id = u.id
        )
      ) as "hasAdministrators",
      (
        select m.role from identity.organization_members m join identity.users u on u.id = m.user_id
        where m.organization_id = o.organization_id and m.user_id = $2::uuid and u.disabled_at is null
      ) as acting
    from identity.organizations o where o.organization_id = $1 and o.deleted_at is null`,
    organizationId,
    isUuid(actingMember ?? '') ? actingMember : null,
  )
  if (found === undefined) return undefined
  if (actingMember === undefined) return { ...found, acting: 'administrator' }
  return found.disabled || found.acting === null ? undefined : { ...found, acting: found.acting }
}

/**
 * Locks the organization of a place until the transaction ends, after all users and before all groups, and lets only those who run it
 * make changes there.
 * @returns the id of the organization; undefined for the instance
 * @throws Refusal not_found for one that does not exist, or of which the acting member is none; access_denied for one who does not run it
 */
export async function lockPlace(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  { organizationId, actingMember }: Place,
): Promise<InOrganization> {
  if (organizationId === undefined && actingMember === undefined) return undefined
  // A member changes nothing in the instance.
  const organization =
    organizationId === undefined
      ? undefined
      : await lockOrganization(transaction, organizationId, 'against changes of members', actingMember)
  if (organization === undefined) throw unknownOrganization()
  checkRuns(organization)
  return organization.organizationId
}

/** The users, among these, who are no members of an organization; in the instance nobody is. Call it after the lock. */
export async function outsidersAmong(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  userIds: readonly string[],
  organization: InOrganization,
): Promise<Set<string>> {
  if (organization === undefined || userIds.length === 0) return new Set()
  const members = await transaction.$queryRawUnsafe<{ userId: string }[]>(
    `select user_id as "userId" from identity.organization_members
    where organization_id = $1 and user_id = any($2::uuid[])`,
    organization,
    userIds,
  )
  const inside = new Set(members.map(({ userId }) => userId))
  return new Set(userIds.filter((userId) => !inside.has(userId)))
}
