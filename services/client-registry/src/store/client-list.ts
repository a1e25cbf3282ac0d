import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { countRows } from '@gatehouse/data/row-count'
import type { SortColumn } from '@gatehouse/data/sort-column'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import type { clients as definition } from '@gatehouse/proto/administered/clients'
import type { ClientListStore } from '../clients/client-list.ts'
import { findRecords } from './client-rows.ts'

const id: SortColumn = { column: 'r."clientId"', type: 'text' }

type Filter = FilterValues<typeof definition>

const clients: List<Filter> = {
  rows: `
    select client_id as "clientId", created_at, lower(client_name) as name, lower(client_id) as id,
      disabled_at is not null as disabled, first_party, grant_types
    from clients.clients`,
  matches: (pattern) => `(r.name like lower(${pattern}) or r.id like lower(${pattern}))`,
  sorts: {
    created_at: [{ column: 'r.created_at', type: 'moment' }, id],
    client_name: [{ column: 'r.name', type: 'bytes' }, id],
  },
  conditions: {
    disabled: (is) => (is ? 'r.disabled' : 'not r.disabled'),
    first_party: (is) => (is ? 'r.first_party' : 'not r.first_party'),
    grant_type: (type, parameter) => `${parameter(type)} = any(r.grant_types)`,
  },
}

/** The clients in PostgreSQL, as administrators view them. */
export function createClientListStore(database: Pick<Database, 'pool' | 'prisma'>): ClientListStore {
  const { prisma } = database
  return {
    async list(wanted) {
      const { items, nextCursor } = await readPage<{ clientId: string }, Filter>(database, clients, wanted)
      const clientIds = items.map(({ clientId }) => clientId)
      const records = await translateDatabaseErrors(findRecords(prisma, clientIds))
      const byId = new Map(records.map((record) => [record.clientId, record]))
      // One that was deleted in between is left out.
      return { items: clientIds.flatMap((clientId) => byId.get(clientId) ?? []), nextCursor }
    },

    async get(clientId) {
      const [record] = await translateDatabaseErrors(findRecords(prisma, [clientId]))
      return record
    },

    total: () => countRows(database, 'clients.clients'),
  }
}
