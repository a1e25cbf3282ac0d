import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'

// Codes and refresh tokens are not looked for, because no index has their client: the user has consented to a code, and the access token
// that came with a refresh token was counted. Counts are stored some seconds late; until then the access token is here.
const usedSql = `
  select i.client_id as "clientId" from unnest($1::text[]) as i (client_id)
  where exists (select from token.client_usage u where u.client_id = i.client_id)
    or exists (select from token.access_tokens t where t.client_id = i.client_id)
    or i.client_id in (select f.client_id from token.authorization_flows f where f.expires_at > now())`

/** Finds the clients of which anything is stored that only their use leaves behind. */
export function findUsedClientsIn({
  pool,
}: Pick<Database, 'pool'>): (clientIds: readonly string[]) => Promise<string[]> {
  return async (clientIds) => {
    const { rows } = await translateDatabaseErrors(pool.query<{ clientId: string }>(usedSql, [clientIds]))
    return rows.map(({ clientId }) => clientId)
  }
}
