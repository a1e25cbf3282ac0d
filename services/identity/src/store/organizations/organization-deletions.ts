import type { Audited } from '@gatehouse/data/audit'
import { inTransaction } from '@gatehouse/data/in-transaction'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { OrganizationChangeStore } from '../../organizations/organization-change.ts'
import type { OrganizationEmptyingStore } from '../../organizations/organization-emptying.ts'
import type { EndOrganizationLogins } from '../connection-ends.ts'
import { deletedEvent } from '../connections/connection-events.ts'
import { lockOrganization } from './locked-organization.ts'
import { removeMembers } from './member-changes.ts'
import { endVouching, lockVouchedUsers } from './vouched-addresses.ts'

type Transaction = Prisma.TransactionClient

/** In more than so many rows of one kind an organization is too large for one transaction. */
const mostAtOnce = 2_000
/** How many a transaction takes away: members may have a thousand groups each. */
const usersAtOnce = 500
const membersAtOnce = 100
const linksAtOnce = 1_000

// Each kind is counted only as far as it matters.
const isLargeSql = `
  select ${[
    'from identity.organization_members where organization_id = $1',
    'from identity.group_members m join identity.groups g on g.group_id = m.group_id where g.organization_id = $1',
    'from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id where c.organization_id = $1',
    'from identity.users where address_vouched_by = $1',
  ]
    .map((rows) => `(select count(*) from (select ${rows} limit $2::int + 1) part) > $2::int`)
    .join(' or ')} as "isLarge"`

/**
 * The deletion of organizations in PostgreSQL. One in which little is goes in one transaction. Any other is marked first, and from then on
 * nobody finds it and nobody can do anything in it, as if it were gone; its domains stay taken until nobody is vouched for any more.
 */
export function createDeleteOrganization(
  audited: Audited,
  keepEvent: KeepEvent,
  endLogins: EndOrganizationLogins,
): OrganizationChangeStore['delete'] {
  return (organizationId, actor, check) =>
    audited(async (transaction, write) => {
      const isLarge = await isTooLarge(transaction, organizationId)
      if (!isLarge) await lockUsers(transaction, organizationId)
      const how = isLarge ? 'against other changes' : 'for deletion'
      const locked = await lockOrganization(transaction, organizationId, how, undefined)
      if (locked === undefined) return 'unknown'
      check(locked)
      const { slug, name, disabledAt } = await transaction.organization.findUniqueOrThrow({
        where: { organizationId },
      })
      const members = await transaction.organizationMember.count({ where: { organizationId } })
      const connections = await transaction.connection.findMany({ where: { organizationId } })
      for (const { connectionId } of connections)
        await keepEvent(transaction, deletedEvent({ connectionId, organizationId }))
      if (isLarge) await mark(transaction, organizationId)
      const sessionIds = isLarge ? [] : await deleteAll(transaction, organizationId, endLogins)
      const before = { slug, name, disabled: disabledAt !== null, members }
      await write({ actor, action: 'organization.delete', target: organizationId, before })
      const everything = { kind: 'organization', target: organizationId, until: 'for ever' } as const
      return [...sessionIds, await addPendingRevocation(transaction, 'identity', everything)]
    })
}

/** The emptying of organizations that were marked, in PostgreSQL. */
export function createOrganizationEmptyingStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  endLogins: EndOrganizationLogins,
): OrganizationEmptyingStore {
  async function idsOf(sql: string, organizationId: string, most: number): Promise<string[]> {
    const { rows } = await translateDatabaseErrors(
      database.pool.query<{ id: string }>(sql, [organizationId, most]),
    )
    return rows.map(({ id }) => id)
  }

  return {
    async emptyNext() {
      const { rows } = await translateDatabaseErrors(database.pool.query<{ id: string }>(nextSql))
      const organizationId = rows[0]?.id
      if (organizationId === undefined) return undefined
      const inIt = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
        inTransaction(database, work)

      const vouched = await idsOf(vouchedSql, organizationId, usersAtOnce)
      if (vouched.length > 0)
        return inIt(async (transaction) => {
          await endVouching(transaction, { organizationId, domain: undefined, userIds: vouched })
          return []
        })

      const userIds = await idsOf(membersSql, organizationId, membersAtOnce)
      if (userIds.length > 0)
        return inIt(async (transaction) => {
          // Users come first, as for whoever deletes one of them.
          await transaction.$queryRawUnsafe(
            'select from identity.users where id = any($1::uuid[]) order by id for key share',
            userIds,
          )
          await removeMembers(transaction, organizationId, userIds)
          return endLogins(transaction, { organizationId, userIds })
        })

      return inIt(async (transaction) => {
        const links = await transaction.$executeRawUnsafe(deleteLinksSql, organizationId, linksAtOnce)
        return links === linksAtOnce ? [] : deleteAll(transaction, organizationId, endLogins)
      })
    },
  }
}

const nextSql = `
  select organization_id as id from identity.organizations where deleted_at is not null
  order by deleted_at, organization_id limit 1`

const vouchedSql = 'select id from identity.users where address_vouched_by = $1 order by id limit $2'

const membersSql = `
  select user_id as id from identity.organization_members where organization_id = $1 order by user_id limit $2`

const deleteLinksSql = `
  delete from identity.connection_links where ctid = any(array(
    select l.ctid from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id
    where c.organization_id = $1 limit $2
  ))`

async function isTooLarge(transaction: Transaction, organizationId: string): Promise<boolean> {
  const [found] = await transaction.$queryRawUnsafe<{ isLarge: boolean }[]>(
    isLargeSql,
    organizationId,
    mostAtOnce,
  )
  return found?.isLarge ?? false
}

/** Locks the users whose rows a deletion changes. */
async function lockUsers(transaction: Transaction, organizationId: string): Promise<void> {
  await lockVouchedUsers(transaction, { organizationId, domain: undefined })
  // A user who is deleted at this moment takes rows with them in another order: this waits for them, and they for this. Users come
  // before the organization, which an owner who deletes their account waits for.
  await lockMembers(transaction, organizationId)
}

/** Makes an organization one that is deleted. Its slug is free from then on: no slug is an id. */
async function mark(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.$executeRaw`
    update identity.organizations set deleted_at = now(), disabled_at = coalesce(disabled_at, now()), slug = organization_id,
      revision = revision + 1
    where organization_id = ${organizationId}`
}

/** Deletes an organization with all that is left in it. @returns the ids of the pending revocations of logins */
async function deleteAll(
  transaction: Transaction,
  organizationId: string,
  endLogins: EndOrganizationLogins,
): Promise<bigint[]> {
  // Those who have joined meanwhile.
  await lockMembers(transaction, organizationId)
  await transaction.$queryRaw`
    select from identity.organization_invitations where organization_id = ${organizationId}
    order by invitation_id for update`
  await endVouching(transaction, { organizationId, domain: undefined })
  // Before the organization, with whose connections the logins would go unnoticed.
  const sessionIds = await endLogins(transaction, { organizationId })
  await transaction.organization.deleteMany({ where: { organizationId } })
  return sessionIds
}

/** Keeps the members of an organization from being deleted until the transaction ends. */
async function lockMembers(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.$queryRaw`
    select from identity.users u
    where u.id in (select user_id from identity.organization_members where organization_id = ${organizationId})
    order by u.id for key share`
}
