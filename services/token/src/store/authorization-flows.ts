import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Database } from '@gatehouse/prisma/database'
import type { AuthorizationFlowStore } from '../authorization/authorization-flow.ts'
import type { OpenidRequest } from '../authorization/openid-request.ts'
import { readResources, resourcesText } from './resources.ts'

const addSql = `
  insert into token.authorization_flows
    (id, client_id, redirect_uri, scope, state, code_challenge, openid, resources, expires_at)
  values ($1, $2, $3, $4, $5, $6, $8, $9, now() + make_interval(secs => $7::float8))`

const findSql = `
  select id, client_id, redirect_uri, scope, state, code_challenge, openid, resources, created_at
  from token.authorization_flows where id = $1 and expires_at > now()`

const endSql = 'delete from token.authorization_flows where id = $1 and expires_at > now()'

type FlowRow = {
  id: string
  client_id: string
  redirect_uri: string
  scope: string
  state: string | null
  code_challenge: string
  openid: OpenidRequest | null
  resources: string | null
  created_at: Date
}

/** The authorization requests that wait for their users, in PostgreSQL. An id that is not a UUID is unknown. */
export function createAuthorizationFlowStore({ pool }: Pick<Database, 'pool'>): AuthorizationFlowStore {
  return {
    async add({ id, clientId, redirectUri, scope, state, codeChallenge, openid, resources, lifetime }) {
      const values = [
        id,
        clientId,
        redirectUri,
        scope,
        state ?? null,
        codeChallenge,
        lifetime,
        openid ?? null,
        resourcesText(resources),
      ]
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
          clientId: row.client_id,
          redirectUri: row.redirect_uri,
          scope: row.scope,
          state: row.state ?? undefined,
          codeChallenge: row.code_challenge,
          openid: row.openid ?? undefined,
          resources: readResources(row.resources) ?? [],
          begunAt: row.created_at,
        }
      )
    },

    async end(id) {
      if (!isUuid(id)) return false
      const { rowCount } = await translateDatabaseErrors(pool.query(endSql, [id]))
      return rowCount === 1
    },
  }
}
