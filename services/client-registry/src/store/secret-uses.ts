import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { UsedSecret } from '../clients/client-lookup.ts'

/**
 * Notes in PostgreSQL when secrets were last used, in one statement for all of them. Replicas of the token service that report the same
 * secret write it once.
 * @returns a function that takes the secrets; those that have ended meanwhile are left out
 */
export function createSecretUseStore({ pool }: Pick<Database, 'pool'>) {
  return async (secrets: readonly UsedSecret[]): Promise<void> => {
    if (secrets.length === 0) return
    // In one order, so that two calls never wait for each other.
    await translateDatabaseErrors(
      pool.query(
        `insert into clients.client_secret_uses as known (client_id, secret_digest, last_used_at)
         select s.client_id, s.secret_digest, now()
         from clients.client_secrets s
         join (select distinct * from unnest($1::text[], $2::bytea[]) as t (client_id, secret_digest)) as used
           on s.client_id = used.client_id and s.secret_digest = used.secret_digest
         order by s.client_id, s.secret_digest
         for key share of s
         on conflict (client_id, secret_digest) do update set last_used_at = excluded.last_used_at
         where known.last_used_at < now() - interval '30 s'`,
        [secrets.map(({ clientId }) => clientId), secrets.map(({ digest }) => Buffer.from(digest))],
      ),
    )
  }
}
