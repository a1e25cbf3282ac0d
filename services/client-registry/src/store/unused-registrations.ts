import { auditedTransactions } from '@gatehouse/data/audit'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { systemActor } from '@gatehouse/kit/actor'
import { emitNothing } from '@gatehouse/kit/emission'
import type { Database } from '@gatehouse/prisma/database'
import type { Candidate, UnusedRegistrationStore } from '../unused-registrations.ts'
import { deleteLocked } from './client-deletion.ts'

/**
 * For how many days after its registration all uses of a client are known. The token service remembers usage for 90 days, by the day of
 * UTC; the rest is for days that are cut, and for clocks.
 */
const daysKnown = 85

/** How many clients are looked at together. */
const batch = 100

/**
 * A condition on a client `c`: whether it registered itself so many days ago ($1), and no use of it is known here. Clients with a metadata
 * document have a clean-up of their own.
 */
const isCandidateSql = `
  c.created_by = 'registration' and c.client_id not like 'https://%' and c.disabled_at is null
  and c.created_at <= now() - make_interval(days => $1)
  and c.created_at > now() - make_interval(days => ${daysKnown})
  and not exists (
    select from clients.registration_uses u where u.client_id = c.client_id
      and (u.kept_since is not null or u.managed_at > now() - make_interval(days => $1))
  )
  and not exists (select from clients.client_secret_uses s where s.client_id = c.client_id)
  and not exists (select from clients.resource_servers r where r.client_id = c.client_id)
  -- What an administrator has changed is theirs.
  and not exists (select from clients.audit_log a where a.target = c.client_id and a.actor_id <> c.client_id)`

const listSql = `
  select c.client_id as "clientId", c.created_at::text as "registeredAt" from clients.clients c
  where ${isCandidateSql} and (c.created_at, c.client_id) > ($2, $3)
  order by c.created_at, c.client_id limit ${batch}`

const lockSql = 'select from clients.clients where client_id = $1 for update'

const findSql = `
  select c.client_name as client_name, c.created_at from clients.clients c
  where ${isCandidateSql} and c.client_id = $2`

const keepSql = `
  insert into clients.registration_uses as known (client_id, kept_since)
  select client_id, now() from clients.clients where client_id = any($1) order by client_id for key share
  on conflict (client_id) do update set kept_since = coalesce(known.kept_since, excluded.kept_since)`

/**
 * The unused registrations in PostgreSQL.
 * @param days how long a client must have been unused; from 1 to 60, since a use must be known for as long
 */
export function createUnusedRegistrationStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  days: number,
): UnusedRegistrationStore {
  const { pool } = database
  // It is in the audit log, but is no event of an administrator.
  const audited = auditedTransactions(database, 'clients', emitNothing)

  return {
    async list(after) {
      const values = [days, after?.registeredAt ?? '-infinity', after?.clientId ?? '']
      return (await translateDatabaseErrors(pool.query<Candidate>(listSql, values))).rows
    },

    async keep(clientIds) {
      if (clientIds.length > 0) await translateDatabaseErrors(pool.query(keepSql, [clientIds]))
    },

    delete: (clientId) =>
      audited(async (transaction, write) => {
        // Locked first, so that what is noted of a use at this moment is seen.
        await transaction.$executeRawUnsafe(lockSql, clientId)
        const [before] = await transaction.$queryRawUnsafe<object[]>(findSql, days, clientId)
        if (before === undefined) return undefined
        // No more than that: strangers decide how much there is of the rest.
        const entry = { actor: systemActor, action: 'client.delete', target: clientId, before }
        return deleteLocked(transaction, entry, write)
      }),
  }
}

/** For how many days the audit log says that an unused registration was deleted. */
const entriesKept = 90

// The ids are UUIDs of version 7, which begin with the milliseconds, so the index by actor finds the old ones.
const deleteEntriesSql = `
  delete from clients.audit_log where entry_id in (
    select entry_id from clients.audit_log
    where actor_id = $1 and actor_kind = 'system' and entry_id < (
      lpad(to_hex((extract(epoch from now() - make_interval(days => ${entriesKept})) * 1000)::bigint), 12, '0')
        || repeat('0', 20))::uuid
    order by entry_id limit 1000 for update skip locked
  )`

/**
 * Deletes the old audit entries of the server itself. Those of administrators are kept for ever, but strangers decide how many of these
 * there are.
 * @returns how many were deleted
 */
export async function deleteSystemEntries({ pool }: Pick<Database, 'pool'>): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rowCount } = await translateDatabaseErrors(pool.query(deleteEntriesSql, [systemActor.id]))
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < 1_000) return deleted
  }
}
