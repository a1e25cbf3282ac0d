import { type AuditEntry, auditedTransactions } from '@gatehouse/data/audit'
import { inTransaction } from '@gatehouse/data/in-transaction'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { organizationLimits } from '@gatehouse/proto/organizations'
import type { DomainStore, OrganizationDomain } from '../../organizations/domain.ts'
import type { MailWriter } from '../mail/mails.ts'
import { lockOrganization } from './locked-organization.ts'
import { isProvenSql } from './proven-domains.ts'
import { endVouching, lockVouchedUsers } from './vouched-addresses.ts'

type Transaction = Prisma.TransactionClient

const columns = `
  d.domain, d.challenge, d.added_at as "addedAt", d.proven_at as "provenAt", d.checked_at as "checkedAt",
  d.missing_since as "missingSince", d.lost_at as "lostAt"`

type Row = {
  [Field in keyof OrganizationDomain]: undefined extends OrganizationDomain[Field]
    ? Exclude<OrganizationDomain[Field], undefined> | null
    : OrganizationDomain[Field]
}

function toDomain({ provenAt, checkedAt, missingSince, lostAt, ...domain }: Row): OrganizationDomain {
  return {
    ...domain,
    provenAt: provenAt ?? undefined,
    checkedAt: checkedAt ?? undefined,
    missingSince: missingSince ?? undefined,
    lostAt: lostAt ?? undefined,
  }
}

/** The pause before the next look, between 22 and 26 hours, so that domains that were proven at once are not looked at all at once. */
const nextLook = "now() + interval '22 hours' + random() * interval '4 hours'"
/** How long a record may be missing before the domain is lost. */
const grace = "interval '7 days'"
const graceMs = 7 * 86_400_000
/** How many owners get a mail. */
const mostOwners = 20

/** The domains of organizations in PostgreSQL. */
export function createDomainStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  { keepEvent, mails }: { keepEvent: KeepEvent; mails: MailWriter },
): DomainStore {
  const { pool } = database
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    async list(organizationId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<Row>(
          `select ${columns} from identity.organization_domains d where d.organization_id = $1
          order by d.domain collate "C" limit $2`,
          [organizationId, organizationLimits.domains],
        ),
      )
      return rows.map(toDomain)
    },

    add: (organizationId, wanted, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        const locked = await lockOrganization(
          transaction,
          organizationId,
          'against other changes',
          actingMember,
        )
        if (locked === undefined) return 'unknown'
        check(locked)
        const known = await find(transaction, organizationId, wanted.domain)
        if (known) return known
        const count = await transaction.organizationDomain.count({ where: { organizationId } })
        if (count >= organizationLimits.domains) return 'too many'
        const row = await transaction.organizationDomain.create({ data: { organizationId, ...wanted } })
        await write(entryOf('organization.domain.add', wanted.domain, { actor, organizationId }))
        return toDomain(row)
      }),

    beginCheck: (organizationId, domain, check, actingMember) =>
      inTransaction(database, async (transaction) => {
        const locked = await lockOrganization(
          transaction,
          organizationId,
          'against changes of members',
          actingMember,
        )
        if (locked === undefined) return 'unknown'
        check(locked)
        const rows = await transaction.$queryRawUnsafe<Row[]>(
          `update identity.organization_domains d set checked_at = now()
          where d.organization_id = $1 and d.domain = $2
            and (d.checked_at is null or d.checked_at < now() - interval '10 seconds')
          returning ${columns}`,
          organizationId,
          domain,
        )
        if (rows[0]) return toDomain(rows[0])
        return (await find(transaction, organizationId, domain)) ? 'too soon' : 'no domain'
      }),

    endCheck: (organizationId, { domain, challenge }, found, actor) =>
      audited(async (transaction, write) => {
        // One look after the other at the same domain, whosever it is: one organization may have proven it.
        await transaction.$queryRaw`
          select pg_advisory_xact_lock(hashtextextended(${`domain ${domain}`}, 0)) is null`
        const before = await find(transaction, organizationId, domain)
        // A domain that was removed and added again has another record.
        if (before?.challenge !== challenge) return 'gone'
        const taken = found && (await isTaken(transaction, organizationId, domain))
        if (taken) return { domain: before, taken }
        // Only the daily look takes a domain away and writes mails: people may look every ten seconds.
        if (!found && actor) return { domain: before, taken }
        const vouched = { organizationId, domain }
        if (!found) {
          await lockVouchedUsers(transaction, vouched)
          // Whoever adds a user in the domain at this moment holds the organization: their address is seen below.
          await lockOrganization(transaction, organizationId, 'against other changes', undefined)
        }
        const rows = await transaction.$queryRawUnsafe<Row[]>(
          `update identity.organization_domains d set ${found ? foundSql : missingSql}
          where d.organization_id = $1 and d.domain = $2 returning ${columns}`,
          organizationId,
          domain,
        )
        if (rows[0] === undefined) return 'gone'
        const after = toDomain(rows[0])
        if (after.lostAt !== undefined) await endVouching(transaction, vouched)
        const proves = found && (before.provenAt === undefined || before.lostAt !== undefined)
        if (proves && actor)
          await write(entryOf('organization.domain.prove', domain, { actor, organizationId }))
        const loses = after.lostAt !== undefined && before.lostAt === undefined
        const type = loses ? 'organization_domain_lost' : 'organization_domain_proven'
        if (loses || proves)
          await keepEvent(transaction, {
            type,
            content: { metadata: { organization_id: organizationId, domain } },
          })
        await tellOwners(transaction, organizationId, before, after)
        return { domain: after, taken }
      }),

    async takeDue(most) {
      const { rows } = await translateDatabaseErrors(
        pool.query<Row & { organizationId: string }>(
          `update identity.organization_domains d
          set checked_at = now(), check_due_at = now() + interval '1 hour'
          where (d.organization_id, d.domain) in (
            select organization_id, domain from identity.organization_domains
            where check_due_at <= now() order by check_due_at limit $1 for update skip locked
          )
          returning d.organization_id as "organizationId", ${columns}`,
          [most],
        ),
      )
      return rows.map(({ organizationId, ...row }) => ({ organizationId, domain: toDomain(row) }))
    },

    async endLostVouching() {
      const { rows } = await translateDatabaseErrors(pool.query<VouchedIn>(lostSql))
      for (const vouched of rows)
        await inTransaction(database, async (transaction) => {
          const { organizationId, domain } = vouched
          if ((await lockVouchedUsers(transaction, vouched)).length === 0) return
          await lockOrganization(transaction, organizationId, 'against other changes', undefined)
          const found = await find(transaction, organizationId, domain)
          if (found?.lostAt !== undefined) await endVouching(transaction, vouched)
        })
    },

    remove: (organizationId, domain, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        await lockVouchedUsers(transaction, { organizationId, domain })
        const locked = await lockOrganization(
          transaction,
          organizationId,
          'against other changes',
          actingMember,
        )
        if (locked === undefined) return 'unknown'
        check(locked)
        const { count } = await transaction.organizationDomain.deleteMany({
          where: { organizationId, domain },
        })
        if (count === 0) return 'no domain'
        await endVouching(transaction, { organizationId, domain })
        await write(entryOf('organization.domain.remove', domain, { actor, organizationId }))
        return 'removed'
      }),
  }

  async function tellOwners(
    transaction: Transaction,
    organizationId: string,
    before: OrganizationDomain,
    { domain, missingSince, lostAt }: OrganizationDomain,
  ): Promise<void> {
    const kind =
      lostAt !== undefined && before.lostAt === undefined
        ? 'domain_lost'
        : missingSince !== undefined && before.missingSince === undefined
          ? 'domain_missing'
          : undefined
    if (kind === undefined) return
    const { name } = await transaction.organization.findUniqueOrThrow({ where: { organizationId } })
    const owners = await transaction.organizationMember.findMany({
      where: { organizationId, role: 'owner' },
      orderBy: { joinedAt: 'asc' },
      take: mostOwners,
    })
    const at = (missingSince?.getTime() ?? Date.now()) + graceMs
    for (const { userId } of owners)
      await mails.toUser(transaction, { kind, userId, content: { organization: name, domain, at } })
  }
}

type VouchedIn = { organizationId: string; domain: string }

/** The domains that were lost lately, of organizations that vouch for addresses. */
const lostSql = `
  select d.organization_id as "organizationId", d.domain from identity.organization_domains d
  where d.lost_at > now() - interval '7 days'
    and exists (select from identity.users u where u.address_vouched_by = d.organization_id)`

/** A record that is there. Whoever had lost the domain has it again. */
const foundSql = `
  proven_at = case when d.proven_at is null or d.lost_at is not null then now() else d.proven_at end,
  checked_at = now(), check_due_at = ${nextLook}, missing_since = null, lost_at = null`

/** A record that is missing, which says nothing about a domain that was never proven, or was lost. */
const missingSql = `
  checked_at = now(),
  missing_since = case when d.proven_at is not null then coalesce(d.missing_since, now()) end,
  lost_at = case when d.missing_since < now() - ${grace} then coalesce(d.lost_at, now()) else d.lost_at end,
  check_due_at = case when ${isProvenSql('d')} and (d.missing_since is null or d.missing_since >= now() - ${grace})
    then ${nextLook} end`

async function find(
  transaction: Transaction,
  organizationId: string,
  domain: string,
): Promise<OrganizationDomain | undefined> {
  const row = await transaction.organizationDomain.findUnique({
    where: { organizationId_domain: { organizationId, domain } },
  })
  return row ? toDomain(row) : undefined
}

/** Whether another organization has proven a domain. */
async function isTaken(transaction: Transaction, organizationId: string, domain: string): Promise<boolean> {
  const rows = await transaction.organizationDomain.count({
    where: {
      domain,
      organizationId: { not: organizationId },
      provenAt: { not: null },
      lostAt: null,
    },
  })
  return rows > 0
}

function entryOf(
  action: string,
  domain: string,
  { actor, organizationId }: { actor: AuditEntry['actor']; organizationId: string },
): AuditEntry {
  const side = action.endsWith('remove') ? 'before' : 'after'
  return { actor, action, target: organizationId, [side]: { domain } }
}
