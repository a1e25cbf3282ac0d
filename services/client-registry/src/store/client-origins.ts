import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { type ClientOriginStore, type ClientWithPages, mostOrigins } from '../clients/client-origins.ts'

// An administrator names the origins of a client that registered itself only to have them count.
const byRegistration = `(created_by = 'registration' and not metadata ? 'allowed_origins')`

// The index clients_listed_origins_idx has just these rows.
const rows = `
  from clients.clients
  where not ${byRegistration} and disabled_at is null and (redirect_uris <> '{}' or metadata ? 'allowed_origins')
  order by revision limit ${mostOrigins}`

// No revision is used twice, so the revisions together name the state.
const versionSql = `
  select md5(coalesce(string_agg(revision::text, ' ' order by revision), '')) as version
  from (select revision ${rows}) as found`

const clientsSql = `
  select client_id as "clientId", redirect_uris as "redirectUris", metadata -> 'allowed_origins' as "allowedOrigins" ${rows}`

const registeredSql = `
  select redirect_uris as "redirectUris" from clients.clients
  where client_id = $1 and disabled_at is null and ${byRegistration}`

/** The origins of clients in PostgreSQL. */
export function createClientOriginStore({ pool }: Pick<Database, 'pool'>): ClientOriginStore {
  return {
    async version() {
      const found = await translateDatabaseErrors(
        pool.query<{ version: string }>({ name: 'client_origins_version', text: versionSql }),
      )
      return found.rows[0]?.version ?? ''
    },

    async clients() {
      const found = await translateDatabaseErrors(
        pool.query<ClientRow>({ name: 'client_origins', text: clientsSql }),
      )
      return found.rows.map(({ allowedOrigins, ...row }) => ({
        ...row,
        allowedOrigins: allowedOrigins ?? undefined,
      }))
    },

    async redirectUrisOfRegistered(clientId) {
      const found = await translateDatabaseErrors(
        pool.query<Pick<ClientRow, 'redirectUris'>>({
          ...{ name: 'registered_client_origins', text: registeredSql, values: [clientId] },
        }),
      )
      return found.rows[0]?.redirectUris ?? []
    },
  }
}

type ClientRow = Omit<ClientWithPages, 'allowedOrigins'> & { allowedOrigins: string[] | null }
