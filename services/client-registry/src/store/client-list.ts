import { countRows } from '@gatehouse/data/row-count'
import { beginsWith } from '@gatehouse/data/search'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientListStore } from '../client-list.ts'
import { findRecords } from './client-rows.ts'

// PostgreSQL plans an unnamed statement for its values, so what they switch off costs nothing.
const listSql = `
  select client_id as "clientId", (extract(epoch from created_at) * 1000000)::bigint as "createdAt"
  from clients.clients
  where ($1 = '%' or lower(client_name) like lower($1) or ($2 and lower(client_id) like lower($1)))
    and ($3::bigint is null or
      (created_at, client_id) < ('epoch'::timestamptz + $3::bigint * interval '1 microsecond', $4::text))
  order by created_at desc, client_id desc limit $5`

/** The clients in PostgreSQL, as administrators look at them. */
export function createClientListStore(database: Pick<Database, 'pool' | 'prisma'>): ClientListStore {
  const { pool, prisma } = database
  return {
    async list({ beginning, alsoOfId, after, limit }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ clientId: string; createdAt: string }>(listSql, [
          beginsWith(beginning),
          alsoOfId,
          after?.createdAt ?? null,
          after?.clientId ?? null,
          limit,
        ]),
      )
      const records = await translateDatabaseErrors(
        findRecords(
          prisma,
          rows.map(({ clientId }) => clientId),
        ),
      )
      const byId = new Map(records.map((record) => [record.clientId, record]))
      // One that was deleted in between is left out.
      return rows.flatMap(({ clientId, createdAt }) => {
        const item = byId.get(clientId)
        return item ? [{ item, key: [createdAt, clientId] }] : []
      })
    },

    async get(clientId) {
      const [record] = await translateDatabaseErrors(findRecords(prisma, [clientId]))
      return record
    },

    total: () => countRows(database, 'clients.clients'),
  }
}
