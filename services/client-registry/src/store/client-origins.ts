import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { type ClientOriginStore, type ClientWithPages, mostOrigins } from '../client-origins.ts'

// The index clients_origins_idx has the rows of both parts in their order. An administrator names the origins of a client
// that registered itself only to have them count.
const part = (condition: string) => `(
  select client_id, redirect_uris, metadata, revision from clients.clients
  where disabled_at is null and (redirect_uris <> '{}' or metadata ? 'allowed_origins') and ${condition}
  order by revision limit ${mostOrigins})`
const byRegistration = `(created_by = 'registration' and not metadata ? 'allowed_origins')`
const rows = `${part(`not ${byRegistration}`)} union all ${part(`${byRegistration} and $1`)}`

// No revision is used twice, so the revisions together name the state.
const versionSql = `
  select md5(coalesce(string_agg(revision::text, ' ' order by revision), '')) as version from (${rows}) as found`

const clientsSql = `
  select client_id as "clientId", redirect_uris as "redirectUris", metadata -> 'allowed_origins' as "allowedOrigins"
  from (${rows}) as found limit ${mostOrigins}`

/**
 * The origins of clients in PostgreSQL.
 * @param open whether those of clients that registered themselves count
 */
export function createClientOriginStore({ pool }: Pick<Database, 'pool'>, open: boolean): ClientOriginStore {
  return {
    async version() {
      const found = await translateDatabaseErrors(
        pool.query<{ version: string }>({ name: 'client_origins_version', text: versionSql, values: [open] }),
      )
      return found.rows[0]?.version ?? ''
    },

    async clients() {
      const found = await translateDatabaseErrors(
        pool.query<ClientRow>({ name: 'client_origins', text: clientsSql, values: [open] }),
      )
      return found.rows.map(({ allowedOrigins, ...row }) => ({
        ...row,
        allowedOrigins: allowedOrigins ?? undefined,
      }))
    },
  }
}

type ClientRow = Omit<ClientWithPages, 'allowedOrigins'> & { allowedOrigins: string[] | null }
