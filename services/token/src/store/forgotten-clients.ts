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

/** Deletes what is remembered of deleted clients, so that it does not count for a client that gets one of their ids. */
export function forgetClientsIn(
  database: Pick<Database, 'prisma'>,
): (clientIds: readonly string[]) => Promise<void> {
  return (clientIds) =>
    inTransaction(database, async (transaction) => {
      for (const table of tables)
        await transaction.$executeRawUnsafe(`delete from token.${table} where client_id = any($1)`, clientIds)
    })
}
