import { inTransaction } from '@gatehouse/data/in-transaction'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Candidate, UnusedRegistrationStore } from '../changes/unused-registrations.ts'
import { deleteLocked } from './client-deletion.ts'

/** How many clients are looked at together. */
const batch = 100

/**
 * A condition on a client `c`: whether it registered itself so many days ago ($1), and no use of it is known here. Clients with a metadata
 * document have a clean-up of their own.
 */
const isCandidateSql = `
  c.created_by = 'registration' and c.client_id not like 'https://%' and c.disabled_at is null
  and c.created_at <= now() - make_interval(days => $1)
  -- A registry of 0.6.0 writes no such row, nor whether the client registered with OAUTH2_REGISTRATION_TOKEN: all of its clients are kept.
  and exists (
    select from clients.registration_uses u where u.client_id = c.client_id and u.kept_since is null
      and (u.managed_at is null or u.managed_at <= now() - make_interval(days => $1))
  )
  and not exists (select from clients.client_secret_uses s where s.client_id = c.client_id)
  and not exists (select from clients.client_key_uses k where k.client_id = c.client_id)
  and not exists (select from clients.resource_servers r where r.client_id = c.client_id)
  -- A client that an administrator has changed is theirs.
  and not exists (select from clients.audit_log a where a.target = c.client_id and a.actor_id <> c.client_id)`

const listSql = `
  select c.client_id as "clientId", c.created_at::text as "registeredAt" from clients.clients c
  where ${isCandidateSql} and (c.created_at, c.client_id) > ($2, $3)
  order by c.created_at, c.client_id limit ${batch}`

/** A use of a secret locks the secret, everything else that is noted of a use locks the client. */
const lockSql = [
  'select from clients.clients where client_id = $1 for update',
  'select from clients.client_secrets where client_id = $1 order by secret_digest for update',
]

const findSql = `select c.client_id from clients.clients c where ${isCandidateSql} and c.client_id = $2`

const keepSql = `
  insert into clients.registration_uses as known (client_id, kept_since)
  select client_id, now() from clients.clients where client_id = any($1) order by client_id for key share
  on conflict (client_id) do update set kept_since = coalesce(known.kept_since, excluded.kept_since)`

/**
 * The unused registrations in PostgreSQL.
 * @param days how long a client must have been unused; from 1 to 60, since the token service must remember its uses for as long
 */
export function createUnusedRegistrationStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  days: number,
): UnusedRegistrationStore {
  const { pool } = database

  return {
    async list(after) {
      const values = [days, after?.registeredAt ?? '-infinity', after?.clientId ?? '']
      return (await translateDatabaseErrors(pool.query<Candidate>(listSql, values))).rows
    },

    async keep(clientIds) {
      if (clientIds.length > 0) await translateDatabaseErrors(pool.query(keepSql, [clientIds]))
    },

    delete: (clientId) =>
      inTransaction(database, async (transaction) => {
        // Locked first, so that a use is seen that is being noted at this moment.
        for (const sql of lockSql) await transaction.$executeRawUnsafe(sql, clientId)
        const [found] = await transaction.$queryRawUnsafe<object[]>(findSql, days, clientId)
        // The audit log does not know the client, so a later one may get its id.
        return found && deleteLocked(transaction, clientId, true)
      }),
  }
}
