import { changeInBatches } from '@gatehouse/data/expired-rows'
import { untilNowSql } from '@gatehouse/data/pending-revocations'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientIdDocumentStore, DocumentClientPolicy } from '../documents/client-id-document-reading.ts'

/** How long a client with a metadata document is kept after its last use, in days. */
const keptUnused = 90
/** For how many hours a document that is no longer fresh may be used if it cannot be read (RFC 5861 section 4). */
const usableStale = 24
/** How many missing rows one cleaning adds. */
const mostAdded = 1_000

const applyPolicySql = `
  with changed as (
    update clients.clients c set scope = $1, grant_types = $2
    where c.client_id in (
      select d.client_id from clients.client_id_documents d join clients.clients c using (client_id)
      where (c.scope, c.grant_types) is distinct from ($1::text, $2::text[]) order by d.client_id limit $3
    ) returning c.client_id
  )
  insert into clients.pending_revocations (kind, target, issued_before)
  select 'client_change', client_id, ${untilNowSql} from changed`

// A process that ends between the creation of a client and the note that its document was read leaves a client without a row. An index
// has the ids in lower case; found first, or PostgreSQL would walk through all clients in the order of their ids.
const addMissingSql = `
  with described as materialized (
    select client_id from clients.clients where lower(client_id) like 'https://%'
  ),
  missing as materialized (
    select client_id from described
    where not exists (select from clients.client_id_documents d where d.client_id = described.client_id) limit $1
  )
  insert into clients.client_id_documents (client_id, read_at, fresh_until)
  select client_id, created_at, created_at from clients.clients
  where client_id in (select client_id from missing) order by client_id for key share
  on conflict (client_id) do nothing`

/** The metadata documents of clients in PostgreSQL. */
export type StoredClientIdDocuments = ClientIdDocumentStore & {
  /** Notes that clients are in use, at most once a day for each. */
  noteUse(clientIds: readonly string[]): Promise<void>
  /** Gives the existing clients what they may have now. The token service is told of each that changed. */
  applyPolicy(policy: DocumentClientPolicy): Promise<void>
  /**
   * Deletes the clients that nobody has used for 90 days. Disabled ones are kept, or they would come back enabled. Those of which no reading
   * was noted count as used when this first finds them.
   */
  deleteUnused(): Promise<number>
}

/** Creates the store of metadata documents. */
export function createClientIdDocumentStore({ pool }: Pick<Database, 'pool'>): StoredClientIdDocuments {
  return {
    async stateOf(clientId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ state: 'fresh' | 'stale' | 'expired' }>(
          `select case
            when d.fresh_until > now() or c.disabled_at is not null then 'fresh'
            when d.fresh_until > now() - make_interval(hours => $2) then 'stale' else 'expired' end as state
          from clients.clients c left join clients.client_id_documents d using (client_id) where c.client_id = $1`,
          [clientId, usableStale],
        ),
      )
      return rows[0]?.state ?? 'unknown'
    },

    async noteReading(clientId, lifetime) {
      // An administrator may have deleted the client meanwhile.
      await translateDatabaseErrors(
        pool.query(
          `insert into clients.client_id_documents as d (client_id, fresh_until)
          select client_id, now() + make_interval(secs => $2) from clients.clients where client_id = $1 for key share
          on conflict (client_id) do update
          set read_at = now(), used_at = now(), fresh_until = excluded.fresh_until`,
          [clientId, lifetime],
        ),
      )
    },

    async noteUse(clientIds) {
      await translateDatabaseErrors(
        pool.query(
          `update clients.client_id_documents set used_at = now()
          where client_id = any($1) and used_at < now() - interval '1 day'`,
          [clientIds],
        ),
      )
    },

    async applyPolicy({ scope, grantTypes }) {
      // In batches, because strangers decide how many there are.
      await changeInBatches({ pool }, applyPolicySql, scope, [...grantTypes])
    },

    async deleteUnused() {
      await translateDatabaseErrors(pool.query(addMissingSql, [mostAdded]))
      return changeInBatches(
        { pool },
        `delete from clients.clients where client_id in (
          select d.client_id from clients.client_id_documents d join clients.clients c using (client_id)
          where d.used_at < now() - make_interval(days => $1) and c.disabled_at is null
          order by d.used_at limit $2 for update of d skip locked
        )`,
        keptUnused,
      )
    },
  }
}
