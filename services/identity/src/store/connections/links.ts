import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { refuseLimited } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { Link, LinkPosition, LinkStore } from '../../connections/link.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { endAuthority } from '../authority-ends.ts'
import type { EndConnectionLogins } from '../connection-ends.ts'
import { lockChangingUser } from '../factors/factor-owners.ts'
import { lockUsers } from '../groups/locked-groups.ts'
import { leadsSql } from './leading-links.ts'
import { takeGrants } from './mapped-grants.ts'

type Transaction = Prisma.TransactionClient

type Row = Omit<Link, 'lastLoginAt' | 'organizationId' | 'organizationName'> & {
  lastLoginAt: Date | null
  organizationId: string | null
  organizationName: string | null
  microseconds: string
}

const microsecondsSql = '(extract(epoch from l.linked_at) * 1000000)::bigint'
// Of columns and not of an expression, so that an index has the links of a connection in this order.
const positionColumns = ['l.linked_at', 'l.connection_id', 'l.issuer', 'l.subject']
const momentSql = (microseconds: string) =>
  `'epoch'::timestamptz + ${microseconds}::bigint * interval '1 microsecond'`

const listSql = `
  select l.connection_id as "connectionId", c.name as "connectionName", l.issuer, l.subject, l.user_id as "userId", u.username,
    l.display_name as "displayName", l.linked_at as "linkedAt", l.last_login_at as "lastLoginAt",
    not ${leadsSql('l', 'c')} as orphaned, c.disabled_at is not null as disabled,
    c.organization_id as "organizationId", o.name as "organizationName", ${microsecondsSql}::text as microseconds
  from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id
    join identity.users u on u.id = l.user_id left join identity.organizations o on o.organization_id = c.organization_id`

/**
 * The links in PostgreSQL.
 * @param policy OAUTH2_MFA
 */
export function createLinkStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  {
    keepEvent,
    endLogins,
    policy,
  }: { keepEvent: KeepEvent; endLogins: EndConnectionLogins; policy: FactorPolicy },
): LinkStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    async list({ connectionId, userId }, after, limit) {
      const values: unknown[] = []
      const parameter = (value: unknown) => `$${values.push(value)}`
      const conditions = [
        'o.deleted_at is null',
        ...(connectionId === undefined ? [] : [`l.connection_id = ${parameter(connectionId)}`]),
        ...(userId === undefined ? [] : [`l.user_id = ${parameter(userId)}::uuid`]),
        ...(after === undefined ? [] : [beforeSql(after, parameter)]),
      ]
      const order = positionColumns.map((column) => `${column} desc`).join(', ')
      const text = `${listSql} where ${conditions.join(' and ')} order by ${order} limit ${parameter(limit)}`
      const { rows } = await translateDatabaseErrors(database.pool.query<Row>(text, values))
      return rows.map(({ microseconds, ...row }) => {
        const { connectionId, issuer, subject } = row
        const position: LinkPosition = [microseconds, connectionId, issuer, subject]
        return { item: toLink(row), key: position }
      })
    },

    remove: ({ connectionId, issuer, subject, userId: owner }, sessionDigest, actor) =>
      audited(async (transaction, write) => {
        const key = { connectionId, issuer, subject }
        const where = { connectionId_issuer_subject: key }
        const found = await transaction.connectionLink.findUnique({ where })
        if (found === null || (owner !== undefined && found.userId !== owner)) return 'unknown'
        const { userId } = found
        if (sessionDigest !== undefined) {
          const session = { kind: 'session', digest: sessionDigest, expiresAt: undefined } as const
          const user = await lockChangingUser(transaction, session, policy)
          if (user === undefined) return 'not allowed'
          if (user.userId !== userId) return 'unknown'
          if (!(await hasOtherWay(transaction, userId, key))) return 'last way'
        } else {
          const [user] = await lockUsers(transaction, [userId], 'against other groups')
          if (user?.isAdministrator) refuseLimited(actor, 'the user is an administrator')
        }
        const { count } = await transaction.connectionLink.deleteMany({ where: { ...key, userId } })
        if (count === 0) return 'unknown'
        // Another person at the same provider may be this user, too.
        const keys = !(await isLinked(transaction, connectionId, userId))
          ? await takeGrants(transaction, { connectionId, userId })
          : []
        const upstream = { issuer, subject }
        const before = { user_id: userId, issuer, subject }
        await write({ actor, action: 'connection.link.remove', target: connectionId, before })
        const endedIds = await endLogins(transaction, { connectionId, userId, upstream })
        return [...endedIds, ...(await endAuthority(transaction, keys))]
      }),
  }
}

/** The condition that a link l comes after a position, which is of a newer one. */
function beforeSql([microseconds, ...key]: LinkPosition, parameter: (value: unknown) => string): string {
  const position = [momentSql(parameter(microseconds)), ...key.map(parameter)]
  return `(${positionColumns.join(', ')}) < (${position.join(', ')})`
}

function toLink({ lastLoginAt, organizationId, organizationName, ...link }: Omit<Row, 'microseconds'>): Link {
  return {
    ...link,
    lastLoginAt: lastLoginAt ?? undefined,
    organizationId: organizationId ?? undefined,
    organizationName: organizationName ?? undefined,
  }
}

/** Whether a connection leads to a user: a link from a former issuer does not. */
async function isLinked(transaction: Transaction, connectionId: string, userId: string): Promise<boolean> {
  const rows = await transaction.$queryRawUnsafe<unknown[]>(
    `select from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id
    where l.connection_id = $1 and l.user_id = $2::uuid and ${leadsSql('l', 'c')} limit 1`,
    connectionId,
    userId,
  )
  return rows.length > 0
}

/**
 * Whether a user can log in to their account without a link: with a password, a passkey that logs in alone, a social account or another
 * link that works. A login by an organization's connection does not open the account.
 */
async function hasOtherWay(
  transaction: Transaction,
  userId: string,
  { connectionId, issuer, subject }: { connectionId: string; issuer: string; subject: string },
): Promise<boolean> {
  const [{ has } = { has: false }] = await transaction.$queryRawUnsafe<{ has: boolean }[]>(
    `select exists (select from identity.users where id = $1::uuid and password_hash is not null)
      or exists (select from identity.passkeys where user_id = $1::uuid and user_verified)
      or exists (select from identity.social_accounts where user_id = $1::uuid)
      or exists (
        select from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id
        where l.user_id = $1::uuid and (l.connection_id, l.issuer, l.subject) <> ($2, $3, $4)
          and c.organization_id is null and c.disabled_at is null and ${leadsSql('l', 'c')}
      ) as has`,
    userId,
    connectionId,
    issuer,
    subject,
  )
  return has
}
