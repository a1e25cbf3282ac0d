import { auditedTransactions } from '@gatehouse/data/audit'
import { holdReservation } from '@gatehouse/data/name-claims'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { ExistingUser, NewImportedUser, UserImportStore } from '../../accounts/user-import.ts'

const existingSql = `
  with wanted as (
    select place, username, id::uuid as id
    from unnest($1::text[], $2::text[]) with ordinality as w(username, id, place)
  )
  select place::int - 1 as index, u.id as "userId", 'name' as what
  from wanted w join identity.users u on lower(u.username) = lower(w.username)
  union all
  select place::int - 1, u.id, 'id'
  from wanted w join identity.users u on u.id = w.id and lower(u.username) <> lower(w.username)
  union all
  select distinct place::int - 1, w.id, 'deleted id'
  from wanted w join identity.audit_log a on a.target = w.id::text and a.action = 'user.delete'`

// In the order of the names, so that two imports of the same users wait for each other and do not block each other.
const addSql = `
  insert into identity.users (id, username, password_hash, is_admin, disabled_at, created_at, attributes)
  select id, username, nullif(password_hash, ''), admin, case when disabled then now() end,
    coalesce(nullif(created_at, '')::timestamptz, now()), attributes::jsonb
  from unnest($1::uuid[], $2::text[], $3::text[], $4::bool[], $5::bool[], $6::text[], $7::text[])
    as w(id, username, password_hash, admin, disabled, created_at, attributes)
  order by lower(username)
  on conflict do nothing returning id`

const linkSql = `
  insert into identity.social_accounts (provider, subject, user_id, display_name)
  select provider, subject, user_id, display_name
  from unnest($1::text[], $2::text[], $3::uuid[], $4::text[]) as w(provider, subject, user_id, display_name)
  order by provider, subject
  on conflict do nothing returning provider, subject`

/** The imported users in PostgreSQL. */
export function createUserImportStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  keepEvent: KeepEvent,
): UserImportStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  return {
    async findExisting(users) {
      const values = [users.map(({ username }) => username), users.map(({ userId }) => userId ?? null)]
      const { rows } = await translateDatabaseErrors(database.pool.query<ExistingUser>(existingSql, values))
      return rows
    },

    add: (users, actor, reservation) =>
      audited(async (transaction, write) => {
        await holdReservation(transaction, 'identity', reservation)
        const rows = await transaction.$queryRawUnsafe<{ id: string }[]>(addSql, ...columnsOf(users))
        const added = new Set(rows.map(({ id }) => id))
        const created = users.filter(({ userId }) => added.has(userId))
        if (created.length > 0) {
          const administrators = created.filter(({ admin }) => admin).map(({ username }) => username)
          const after = { users: created.length, ...(administrators.length > 0 && { administrators }) }
          await write({ actor, action: 'users.import', target: '', after })
        }
        return { added, withoutAccount: await link(transaction, created) }
      }),
  }
}

/** @returns the ids of the users for whom an account was left out, because another user has it */
async function link(
  transaction: Prisma.TransactionClient,
  users: readonly NewImportedUser[],
): Promise<Set<string>> {
  const accounts = users.flatMap(({ userId, socialAccounts }) =>
    socialAccounts.map((account) => ({ ...account, userId })),
  )
  if (accounts.length === 0) return new Set()
  const linked = await transaction.$queryRawUnsafe<{ provider: string; subject: string }[]>(
    linkSql,
    accounts.map(({ provider }) => provider),
    accounts.map(({ subject }) => subject),
    accounts.map(({ userId }) => userId),
    accounts.map(({ displayName }) => displayName),
  )
  const keyOf = ({ provider, subject }: { provider: string; subject: string }) => `${provider} ${subject}`
  const done = new Set(linked.map(keyOf))
  // Of an account that is named twice, the first user has it.
  const missing = accounts.filter((account) => !done.delete(keyOf(account)))
  return new Set(missing.map(({ userId }) => userId))
}

function columnsOf(users: readonly NewImportedUser[]): unknown[][] {
  return [
    users.map(({ userId }) => userId),
    users.map(({ username }) => username),
    users.map(({ passwordHash }) => passwordHash ?? ''),
    users.map(({ admin }) => admin),
    users.map(({ disabled }) => disabled),
    users.map(({ createdAt }) => createdAt?.toISOString() ?? ''),
    users.map(({ attributes }) => JSON.stringify(attributes)),
  ]
}
