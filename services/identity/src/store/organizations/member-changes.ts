import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { untilNowSql } from '@gatehouse/data/pending-revocations'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { authorityOfUser } from '@gatehouse/proto/authority'
import type { MemberRole } from '@gatehouse/proto/organizations'
import type { LockedOrganization } from '../../organizations/acting.ts'
import type { MemberState, Standing } from '../../organizations/member-decision.ts'
import type { MemberStore } from '../../organizations/members.ts'
import { attributesIn } from '../../organizations/organization-fields.ts'
import { endAuthority } from '../authority-ends.ts'
import { createEndOrganizationLogins } from '../connection-ends.ts'
import { lockUsers } from '../groups/locked-groups.ts'
import { lockOrganization } from './locked-organization.ts'

type Transaction = Prisma.TransactionClient

/**
 * Creates the function that changes the members of organizations in PostgreSQL.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createChangeMembers(
  database: Pick<Database, 'prisma'>,
  { keepEvent, recorded }: { keepEvent: KeepEvent; recorded: boolean },
): MemberStore['change'] {
  const endLogins = createEndOrganizationLogins(recorded)
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return (organizationId, userIds, actor, actingMember, decide) =>
    audited(async (transaction, write) => {
      const users = await lockUsers(transaction, userIds, 'against other groups')
      const organization = await lockOrganization(
        transaction,
        organizationId,
        'against other changes',
        actingMember,
      )
      if (organization === undefined) return 'unknown'
      const state = await readState(transaction, organization, users)
      const { leaving, changed, results } = decide(state)
      const left = [...leaving]
      if (left.length > 0) {
        await removeMembers(transaction, organizationId, left)
        const before = { slug: organization.slug, user_ids: left }
        await write({ actor, action: 'organization.members.remove', target: organizationId, before })
      }
      if (changed.size > 0) {
        await setMembers(transaction, organizationId, changed)
        const was = [...changed.keys()].filter((userId) => state.members.has(userId) && !leaving.has(userId))
        const before = { members: was.map((userId) => shown(userId, state.members.get(userId))) }
        const after = {
          slug: organization.slug,
          members: [...changed].map(([userId, standing]) => shown(userId, standing)),
        }
        const entry = { actor, action: 'organization.members.set', target: organizationId, after }
        await write({ ...entry, ...(was.length > 0 && { before }) })
      }
      const sessionIds = await endLogins(transaction, { organizationId, userIds: left })
      const authorityIds = await endAuthority(transaction, left.map(authorityOfUser))
      const membershipIds = await endMemberships(transaction, organizationId, left)
      return { results, revocationIds: [...membershipIds, ...authorityIds, ...sessionIds] }
    })
}

/** Without the values of attributes: what is deleted with a user should not live on in the audit log. */
function shown(userId: string, standing: Standing | undefined) {
  const attributes = Object.keys(standing?.attributes ?? {})
  return { user_id: userId, role: standing?.role, ...(attributes.length > 0 && { attributes }) }
}

// After the locks, so it sees the state that stays until the commit.
async function readState(
  transaction: Transaction,
  organization: LockedOrganization,
  users: readonly { userId: string; isAdministrator: boolean }[],
): Promise<MemberState> {
  const userIds = users.map(({ userId }) => userId)
  const { organizationId } = organization
  const named = await transaction.$queryRaw<
    {
      userId: string
      disabled: boolean
      organizations: number
      role: MemberRole | null
      attributes: unknown
    }[]
  >`
    select u.id as "userId", u.disabled_at is not null as disabled, m.role, m.attributes,
      (select count(*) from identity.organization_members o where o.user_id = u.id)::int as organizations
    from identity.users u left join identity.organization_members m
      on m.user_id = u.id and m.organization_id = ${organizationId}
    where u.id = any(${userIds}::uuid[])`
  const [counted] = await transaction.$queryRaw<{ memberCount: number; otherOwners: number }[]>`
    select (select count(*) from identity.organization_members where organization_id = ${organizationId})::int as "memberCount",
      (
        select count(*) from identity.organization_members m join identity.users u on u.id = m.user_id
        where m.organization_id = ${organizationId} and m.role = 'owner' and u.disabled_at is null
          and u.id <> all(${userIds}::uuid[])
      )::int as "otherOwners"`
  if (counted === undefined) throw new Error('the statement returned no row')
  const administrators = new Map(users.map(({ userId, isAdministrator }) => [userId, isAdministrator]))
  return {
    organization,
    users: new Map(
      named.map(({ userId, disabled, organizations }) => [
        userId,
        { isAdministrator: administrators.get(userId) ?? false, disabled, organizations },
      ]),
    ),
    members: new Map(
      named.flatMap(({ userId, role, attributes }) =>
        role === null ? [] : [[userId, { role, attributes: attributesIn(attributes) }]],
      ),
    ),
    ...counted,
  }
}

/** Deletes memberships, with all that they give. */
export async function removeMembers(
  transaction: Transaction,
  organizationId: string,
  userIds: readonly string[],
): Promise<void> {
  const where = { organizationId, userId: { in: [...userIds] } }
  await transaction.groupMember.deleteMany({
    where: { userId: { in: [...userIds] }, group: { organizationId } },
  })
  await transaction.roleAssignment.deleteMany({ where })
  await transaction.organizationConsent.deleteMany({ where })
  await transaction.organizationMember.deleteMany({ where })
}

async function setMembers(
  transaction: Transaction,
  organizationId: string,
  changed: ReadonlyMap<string, Standing>,
): Promise<void> {
  const standings = [...changed.values()]
  await transaction.$executeRaw`
    insert into identity.organization_members (organization_id, user_id, role, attributes)
    select ${organizationId}, user_id, role, attributes::jsonb
    from unnest(
      ${[...changed.keys()]}::uuid[], ${standings.map(({ role }) => role)}::text[],
      ${standings.map(({ attributes }) => JSON.stringify(attributes))}::text[]
    ) t(user_id, role, attributes)
    on conflict (organization_id, user_id) do update set role = excluded.role, attributes = excluded.attributes`
}

const endSql = `
  insert into identity.pending_revocations (kind, target, issued_before)
  select 'membership', user_id || ':' || $1, ${untilNowSql} from unnest($2::text[]) user_id returning id`

/** Records that what users granted in an organization ends. @returns the ids of the pending revocations */
async function endMemberships(
  transaction: Transaction,
  organizationId: string,
  userIds: readonly string[],
): Promise<bigint[]> {
  if (userIds.length === 0) return []
  const rows = await transaction.$queryRawUnsafe<{ id: bigint }[]>(endSql, organizationId, userIds)
  return rows.map(({ id }) => id)
}
