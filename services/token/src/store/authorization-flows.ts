import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database, QueryConfig } from '@gatehouse/prisma/database'
import type { OpenidRequest } from '../authorization/openid-request.ts'
import type {
  AuthorizationFlow,
  AuthorizationFlowStore,
  MadeChoice,
  NewFlow,
} from '../authorization/waiting-flow.ts'
import { type Column, insertOneSql, namesOf, valuesOfOne } from './columns.ts'
import { type GrantRow, toGrant, userlessGrantColumns } from './grant-columns.ts'

const columns: readonly Column<NewFlow>[] = [
  { name: 'id', type: 'uuid', value: ({ id }) => id },
  ...userlessGrantColumns,
  { name: 'redirect_uri', type: 'text', value: ({ redirectUri }) => redirectUri },
  { name: 'state', type: 'text', value: ({ state }) => state },
  { name: 'code_challenge', type: 'text', value: ({ codeChallenge = '' }) => codeChallenge },
  { name: 'openid', type: 'jsonb', value: ({ openid }) => openid },
  { name: 'requested_organization', type: 'text', value: ({ namedOrganization }) => namedOrganization },
]

const addColumns: readonly Column<NewFlow>[] = [
  ...columns,
  {
    ...{ name: 'expires_at', type: 'float8', stored: (sent) => `now() + make_interval(secs => ${sent})` },
    value: ({ lifetime }) => lifetime,
  },
]

const addSql = insertOneSql('token.authorization_flows', addColumns)

const pushColumns: readonly Column<NewFlow>[] = [
  ...addColumns,
  {
    ...{ name: 'pushed_at', type: 'boolean', stored: (sent) => `case when ${sent} then now() end` },
    value: () => true,
  },
]

const pushSql = insertOneSql('token.authorization_flows', pushColumns)

const found = `${namesOf(columns)}, organization_choice, created_at`

// The first visit begins the flow: from then on a login counts as made for it.
const visitSql = `
  update token.authorization_flows set visited_at = now(), created_at = now(), expires_at = now() + make_interval(secs => $3::float8)
  where id = $1 and client_id = $2 and pushed_at is not null and visited_at is null and expires_at > now()
  returning ${found}`

const lookSql = `
  select ${found} from token.authorization_flows
  where id = $1 and client_id = $2 and pushed_at is not null and expires_at > now()`

// Not a pushed flow that nobody visited: the visit says which client it is for, and when it begins.
const findSql = `
  select ${found} from token.authorization_flows
  where id = $1 and expires_at > now() and (pushed_at is null or visited_at is not null)`

const chooseSql = `
  update token.authorization_flows set organization_choice = $2
  where id = $1 and expires_at > now()`

const endSql = 'delete from token.authorization_flows where id = $1 and expires_at > now()'

type FlowRow = GrantRow & {
  id: string
  redirect_uri: string
  state: string | null
  code_challenge: string
  openid: OpenidRequest | null
  requested_organization: string | null
  organization_choice: MadeChoice | null
  created_at: Date
}

/** The authorization requests that wait for their users, in PostgreSQL. An id that is not a UUID is unknown. */
export function createAuthorizationFlowStore({ pool }: Pick<Database, 'pool'>): AuthorizationFlowStore {
  async function one(query: QueryConfig): Promise<AuthorizationFlow | undefined> {
    const { rows } = await translateDatabaseErrors(pool.query<FlowRow>(query))
    return rows[0] && toFlow(rows[0])
  }

  return {
    async add(flow) {
      const values = valuesOfOne(addColumns, flow)
      await translateDatabaseErrors(pool.query({ name: 'add_authorization_flow', text: addSql, values }))
    },

    async push(flow) {
      const values = valuesOfOne(pushColumns, flow)
      await translateDatabaseErrors(pool.query({ name: 'push_authorization_flow', text: pushSql, values }))
    },

    async visit(id, clientId, lifetime) {
      if (!isUuid(id)) return undefined
      const key = [id, clientId]
      const begun =
        lifetime && (await one({ name: 'visit_pushed_flow', text: visitSql, values: [...key, lifetime] }))
      // One that was visited before, maybe while this visit waited for the row.
      return begun || one({ name: 'look_at_pushed_flow', text: lookSql, values: key })
    },

    async find(id) {
      return isUuid(id) ? one({ name: 'find_authorization_flow', text: findSql, values: [id] }) : undefined
    },

    async choose(id, choice) {
      if (!isUuid(id)) return false
      const query = { name: 'choose_organization', text: chooseSql, values: [id, choice] }
      const { rowCount } = await translateDatabaseErrors(pool.query(query))
      return rowCount === 1
    },

    async end(id) {
      if (!isUuid(id)) return false
      const { rowCount } = await translateDatabaseErrors(pool.query(endSql, [id]))
      return rowCount === 1
    },
  }
}

function toFlow(row: FlowRow): AuthorizationFlow {
  return {
    id: row.id,
    grant: toGrant(row),
    redirectUri: row.redirect_uri,
    state: row.state ?? undefined,
    codeChallenge: row.code_challenge || undefined,
    openid: row.openid ?? undefined,
    namedOrganization: row.requested_organization ?? undefined,
    organizationChoice: row.organization_choice ?? undefined,
    begunAt: row.created_at,
  }
}
