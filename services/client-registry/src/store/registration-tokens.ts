import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { RegistrationToken, RegistrationTokenStore } from '../changes/registered-client.ts'

/** The registration access tokens as PostgreSQL has them. */
type StoredRegistrationTokens = RegistrationTokenStore & {
  /** Notes that a client manages its registration, at most once a day. */
  noteUse(clientId: string): Promise<void>
}

// The client may be deleted at this moment. One without a row is of a registry of 0.6.0, and is kept.
const noteUseSql = `
  insert into clients.registration_uses as known (client_id, managed_at, kept_since)
  select client_id, now(), now() from clients.clients where client_id = $1 for key share
  on conflict (client_id) do update set managed_at = excluded.managed_at
  where known.managed_at is null or known.managed_at < now() - interval '1 day'`

// One statement: between two, the client might be deleted.
const findSql = `
  select t.token_digest as digest, c.disabled_at is not null as disabled
  from clients.registration_tokens t join clients.clients c using (client_id) where client_id = $1`

/** The registration access tokens in PostgreSQL. */
export function createRegistrationTokenStore({ pool }: Pick<Database, 'pool'>): StoredRegistrationTokens {
  return {
    async find(clientId) {
      // No client has such an id, and PostgreSQL could not read it.
      if (clientId.includes('\0')) return undefined
      const { rows } = await translateDatabaseErrors(pool.query<RegistrationToken>(findSql, [clientId]))
      return rows[0]
    },

    async noteUse(clientId) {
      await translateDatabaseErrors(pool.query(noteUseSql, [clientId]))
    },
  }
}
