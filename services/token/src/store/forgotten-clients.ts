import { inTransaction } from '@gatehouse/data/in-transaction'
import type { Database } from '@gatehouse/prisma/database'

/** The rows about a client besides its tokens, codes and refresh tokens, which its revocation ends. */
const tables = [
  'authorization_flows',
  // Else the next client with the id would learn of the logouts of users whom it never saw.
  'session_grants',
  'backchannel_logouts',
  'client_usage',
  'client_authentication_failures',
]

const noteSql = `
  insert into token.forgotten_clients (client_id) select id from unnest($1::text[]) as t (id) order by id
  on conflict (client_id) do update set forgotten_at = excluded.forgotten_at`

/**
 * The condition that a count belongs to a client that was forgotten since.
 * @param age SQL of the seconds since the first of what was counted
 */
export const isForgottenSql = (clientId: string, age: string) => `exists (
    select from token.forgotten_clients f
    where f.client_id = ${clientId} and f.forgotten_at >= now() - make_interval(secs => ${age})
  )`

/** Deletes what is remembered of deleted clients, so that it does not count for a client that gets one of their ids. */
export function forgetClientsIn(
  database: Pick<Database, 'prisma'>,
): (clientIds: readonly string[]) => Promise<void> {
  return (clientIds) =>
    inTransaction(database, async (transaction) => {
      await transaction.$executeRawUnsafe(noteSql, clientIds)
      for (const table of tables)
        await transaction.$executeRawUnsafe(`delete from token.${table} where client_id = any($1)`, clientIds)
    })
}
