import { carriedIn } from '@gatehouse/data/carried-columns'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { countRows } from '@gatehouse/data/row-count'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import { connections as definition } from '@gatehouse/proto/administered/connections'
import type { Connection, ConnectionStore, LinkCounts } from '../../connections/connection.ts'
import type { MappingRule } from '../../connections/mapping-rule.ts'
import { leadsSql } from './leading-links.ts'

/** The columns of a connection. @param connection the alias of identity.connections */
export const connectionColumns = (connection: string) => {
  const columns = Object.entries(names).map(([field, column]) => `${connection}.${column} as "${field}"`)
  return `${columns.join(', ')}, ${connection}.client_secret is not null as "hasClientSecret", lower(${connection}.name) as lower_name`
}

const names = {
  connectionId: 'connection_id',
  organizationId: 'organization_id',
  kind: 'kind',
  name: 'name',
  issuer: 'issuer',
  clientId: 'client_id',
  clientAuthentication: 'client_authentication',
  clientPublicKey: 'client_public_key',
  scope: 'scope',
  acrValues: 'acr_values',
  tenants: 'tenants',
  trustsSecondFactor: 'trusts_second_factor',
  newUsers: 'new_users',
  mapping: 'mapping',
  domains: 'domains',
  onLoginPage: 'on_login_page',
  createdAt: 'created_at',
  disabledAt: 'disabled_at',
  revision: 'revision',
} as const satisfies Record<keyof Omit<Connection, 'hasClientSecret' | 'columns'>, string>

/** A row with these columns. */
export type ConnectionRow = {
  [Field in keyof Omit<Connection, 'columns' | 'mapping' | 'revision'>]: undefined extends Connection[Field]
    ? Exclude<Connection[Field], undefined> | null
    : Connection[Field]
} & { mapping: StoredRule[]; revision: bigint | string }

/** A rule as it is stored: that of proto/connections.ts, with the id of the resource server. */
type StoredRule = {
  claim: string
  value?: string
  to: { attribute: string } | { group: string } | { resource_id: string; resource: string; role: string }
}

/** A connection of a row. */
export function toConnection(row: ConnectionRow): Connection {
  const fields = Object.keys(names).map((field) => [field, row[field as keyof ConnectionRow] ?? undefined])
  return {
    ...(Object.fromEntries(fields) as Omit<Connection, 'columns'>),
    hasClientSecret: row.hasClientSecret,
    mapping: row.mapping.map(toRule),
    revision: BigInt(row.revision),
    columns: carriedIn(definition, row),
  }
}

function toRule({ to, ...rule }: StoredRule): MappingRule {
  if (!('role' in to)) return { ...rule, ...to }
  const { resource_id: resourceId, ...role } = to
  return { ...rule, role: { resourceId, ...role } }
}

/** Rules as they are stored. */
export function storedRules(rules: readonly MappingRule[]): StoredRule[] {
  return rules.map(({ claim, value, attribute, group, role }) => ({
    claim,
    ...(value !== undefined && { value }),
    to:
      role !== undefined
        ? { resource_id: role.resourceId, resource: role.resource, role: role.role }
        : group !== undefined
          ? { group }
          : { attribute: attribute ?? '' },
  }))
}

/** The SQL condition that no connection of a deleted organization is. @param connection the alias of identity.connections */
const isThereSql = (connection: string) => `not exists (
  select from identity.organizations o where o.organization_id = ${connection}.organization_id and o.deleted_at is not null
)`

type Filter = FilterValues<typeof definition>

const list: List<Filter> = {
  rows: `select ${connectionColumns('c')} from identity.connections c where ${isThereSql('c')}`,
  matches: (pattern) => `r.lower_name like lower(${pattern})`,
  sorts: {
    name: [
      { column: 'r.lower_name', type: 'bytes' },
      { column: 'r."connectionId"', type: 'text' },
    ],
    created_at: [
      { column: 'r."createdAt"', type: 'moment' },
      { column: 'r."connectionId"', type: 'text' },
    ],
  },
  short: true,
  beginningFirst: { sort: 'name', matches: (pattern) => `r.lower_name like lower(${pattern})` },
  conditions: {
    organization: (organization, parameter) =>
      organization === 'none'
        ? 'r."organizationId" is null'
        : `r."organizationId" = ${parameter(organization)}`,
    kind: (kind, parameter) => `r.kind = ${parameter(kind)}`,
    disabled: (is) => `r."disabledAt" is ${is ? 'not null' : 'null'}`,
  },
}

/** The connections in PostgreSQL, as people view them. */
export function createConnectionStore(database: Pick<Database, 'pool'>): ConnectionStore {
  const { pool } = database
  const findSql = `select ${connectionColumns('c')} from identity.connections c where c.connection_id = $1 and ${isThereSql('c')}`
  return {
    async list(wanted) {
      const { items, nextCursor } = await readPage<ConnectionRow, Filter>(database, list, wanted)
      return { items: items.map(toConnection), nextCursor }
    },

    async get(connectionId) {
      const { rows } = await translateDatabaseErrors(pool.query<ConnectionRow>(findSql, [connectionId]))
      return rows[0] && toConnection(rows[0])
    },

    total: () => countRows(database, 'identity.connections'),

    async countLinks(connectionId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<LinkCounts>(
          `select count(*)::int as links, (count(*) filter (where not ${leadsSql('l', 'c')}))::int as "orphanedLinks"
          from identity.connection_links l join identity.connections c on c.connection_id = l.connection_id
          where l.connection_id = $1`,
          [connectionId],
        ),
      )
      return rows[0] ?? { links: 0, orphanedLinks: 0 }
    },

    async countLinksUpTo(mostCounted, connectionIds) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ connectionId: string; links: number }>(
          `select id as "connectionId", (
            select count(*) from (select from identity.connection_links l where l.connection_id = id limit $2::bigint) part
          )::int as links
          from unnest($1::text[]) id`,
          [connectionIds, mostCounted + 1],
        ),
      )
      return new Map(rows.map(({ connectionId, links }) => [connectionId, links]))
    },
  }
}
