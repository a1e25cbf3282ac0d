import { changeInBatches } from '@gatehouse/data/expired-rows'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { UsedSecret } from '../clients/client-lookup.ts'

/** A client decides how many keys are at its jwks_uri. Beyond these, the use of another one is not noted until old rows are gone. */
export const mostKeysOfClient = 100

/**
 * Notes in PostgreSQL when keys were last used, in one statement for all of them. Replicas of the token service that report the same key
 * write it once.
 * @returns a function that takes the keys by their thumbprints; those of clients that were deleted meanwhile are left out
 */
export function createKeyUseStore({ pool }: Pick<Database, 'pool'>) {
  return async (keys: readonly UsedSecret[]): Promise<void> => {
    if (keys.length === 0) return
    // In one order, so that two calls never wait for each other.
    await translateDatabaseErrors(
      pool.query(
        `insert into clients.client_key_uses as known (client_id, thumbprint, last_used_at)
         select c.client_id, used.thumbprint, now()
         from clients.clients c
         join (select distinct * from unnest($1::text[], $2::bytea[]) as t (client_id, thumbprint)) as used using (client_id)
         where (select count(*) from clients.client_key_uses u where u.client_id = c.client_id) < $3
           or exists (select from clients.client_key_uses u where (u.client_id, u.thumbprint) = (c.client_id, used.thumbprint))
         order by c.client_id, used.thumbprint
         for key share of c
         on conflict (client_id, thumbprint) do update set last_used_at = excluded.last_used_at
         where known.last_used_at < now() - interval '30 s'`,
        [
          keys.map(({ clientId }) => clientId),
          keys.map(({ digest }) => Buffer.from(digest)),
          mostKeysOfClient,
        ],
      ),
    )
  }
}

/**
 * Deletes the uses of keys that were not used for 90 days, except the last one of each client: it says that the client was ever used.
 * @returns the number of deleted rows
 */
export function deleteOldKeyUses(database: Pick<Database, 'pool'>): Promise<number> {
  return changeInBatches(
    database,
    `delete from clients.client_key_uses where (client_id, thumbprint) in (
      select client_id, thumbprint from clients.client_key_uses u
      where last_used_at < now() - interval '90 days' and exists (
        select from clients.client_key_uses later where later.client_id = u.client_id
          and (later.last_used_at, later.thumbprint) > (u.last_used_at, u.thumbprint)
      )
      limit $1 for update skip locked
    )`,
  )
}
