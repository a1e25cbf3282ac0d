import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database } from '@gatehouse/prisma/database'
import type { AuthorizationFlowStore, MadeChoice } from '../authorization/authorization-flow.ts'
import type { OpenidRequest } from '../authorization/openid-request.ts'
import { type Column, insertOneSql, namesOf, valuesOfOne } from './columns.ts'
import { type GrantRow, toGrant, userlessGrantColumns } from './grant-columns.ts'

type NewFlow = Parameters<AuthorizationFlowStore['add']>[0]

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

const findSql = `
  select ${namesOf(columns)}, organization_choice, created_at
  from token.authorization_flows where id = $1 and expires_at > now()`

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
  return {
    async add(flow) {
      const values = valuesOfOne(addColumns, flow)
      await translateDatabaseErrors(pool.query({ name: 'add_authorization_flow', text: addSql, values }))
    },

    async find(id) {
      if (!isUuid(id)) return undefined
      const { rows } = await translateDatabaseErrors(
        pool.query<FlowRow>({ name: 'find_authorization_flow', text: findSql, values: [id] }),
      )
      const [row] = rows
      return (
        row && {
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
      )
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
