import { countRows } from '@gatehouse/data/row-count'
import {
  beginningWith,
  containing,
  isSearchedInside,
  listPage,
  type SearchableList,
  searchInside,
} from '@gatehouse/data/search'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ClientListStore } from '../client-list.ts'
import { findRecords } from './client-rows.ts'

const byAge: SearchableList = {
  rows: `
    select client_id as "clientId", created_at, (extract(epoch from created_at) * 1000000)::bigint as "createdAt",
      lower(client_name) as name, lower(client_id) as id
    from clients.clients`,
  matches: '(r.name like lower($1) or r.id like lower($1))',
  after: `($3::bigint is null or
    (r.created_at, r."clientId") < ('epoch'::timestamptz + $3::bigint * interval '1 microsecond', $4::text))`,
  order: 'r.created_at desc, r."clientId" desc',
}

/** The clients in PostgreSQL, as administrators view them. */
export function createClientListStore(database: Pick<Database, 'pool' | 'prisma'>): ClientListStore {
  const { prisma } = database
  return {
    async list({ search, after, limit }) {
      const inside = isSearchedInside(search)
      const pattern = inside ? containing(search) : beginningWith(search)
      const wanted = { pattern, after: [after?.createdAt ?? null, after?.clientId ?? null], limit }
      const find = inside ? searchInside : listPage
      const rows = await find<{ clientId: string; createdAt: string }>(database, byAge, wanted)
      const records = await translateDatabaseErrors(
        findRecords(
          prisma,
          rows.map(({ clientId }) => clientId),
        ),
      )
      const byId = new Map(records.map((record) => [record.clientId, record]))
      // A client that was deleted in between is left out.
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
