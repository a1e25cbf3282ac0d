import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { countRows } from '@gatehouse/data/row-count'
import type { SortColumn } from '@gatehouse/data/sort-column'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import type { resourceServers as definition } from '@gatehouse/proto/administered/resource-servers'
import type { ResourceServerStore } from '../resource-servers/resource-server-list.ts'
import { type ResourceServerRow, toResourceServer } from './resource-server-rows.ts'

const id: SortColumn = { column: 'r."resourceId"', type: 'uuid' }

type Filter = FilterValues<typeof definition>

const resourceServers: List<Filter> = {
  rows: `
    select resource_id as "resourceId", identifier, name, scopes, token_lifetime as "tokenLifetime",
      open_registration as "openRegistration", client_id as "clientId", roles, scopes_by_role as "scopesByRole",
      token_claims as "tokenClaims", claims_shape as "claimsShape", disabled_at as "disabledAt",
      created_at as "createdAt", revision, lower(name) as lower_name, lower(identifier) as lower_identifier
    from clients.resource_servers`,
  matches: (pattern) => `(r.lower_name like lower(${pattern}) or r.lower_identifier like lower(${pattern}))`,
  sorts: {
    created_at: [{ column: 'r."createdAt"', type: 'moment' }, id],
    name: [{ column: 'r.lower_name', type: 'bytes' }, id],
  },
  conditions: {
    disabled: (is) => `r."disabledAt" is ${is ? 'not null' : 'null'}`,
    identifier: (identifier, parameter) => `r.identifier = ${parameter(identifier)}`,
  },
}

// No revision is used twice, so the revisions together name the state.
const versionSql = `
  select md5(coalesce(string_agg(revision::text, ' ' order by revision), '')) as version
  from clients.resource_servers`

/** The resource servers in PostgreSQL, for reading. */
export function createResourceServerStore(database: Pick<Database, 'pool' | 'prisma'>): ResourceServerStore {
  const { pool, prisma } = database
  return {
    async list(wanted) {
      const page = await readPage<ResourceServerRow, Filter>(database, resourceServers, wanted)
      return { ...page, items: page.items.map(toResourceServer) }
    },

    async get(resourceId) {
      if (!isUuid(resourceId)) return undefined
      const row = await translateDatabaseErrors(prisma.resourceServer.findUnique({ where: { resourceId } }))
      return row ? toResourceServer(row) : undefined
    },

    total: () => countRows(database, 'clients.resource_servers'),

    async version() {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ version: string }>({ name: 'resource_server_version', text: versionSql }),
      )
      return rows[0]?.version ?? ''
    },

    async all() {
      const rows = await translateDatabaseErrors(
        prisma.resourceServer.findMany({ orderBy: [{ createdAt: 'asc' }, { resourceId: 'asc' }] }),
      )
      return rows.map(toResourceServer)
    },
  }
}
