import type { Pool, PoolClient } from 'pg'
import type { DatabaseClient } from './client.ts'

/**
 * Closes the connections of a pool that nobody should use again: one that is left inside a transaction, one to a server that accepts
 * no writes any more, one that was made by an older URL, and all idle ones when a statement got no answer. The server ends a slow
 * statement itself and says so, so one that says nothing is gone, and each other connection to it would cost a request the whole limit.
 */
export function closeUnusable(pool: Pool): void {
  const idle = new Set<PoolClient>()
  pool.on('acquire', (client) => void idle.delete(client))
  pool.on('remove', (client) => void idle.delete(client))
  pool.on('release', (error, client) => {
    if (error) {
      if (error.message === 'Query read timeout') for (const other of idle) ours(other).abandon()
      return
    }
    // Prisma releases a connection even when its ROLLBACK failed, and the next user would be inside the old transaction.
    if (ours(client).demoted || isOutdated(client) || client.getTransactionStatus() !== 'I') void client.end()
    else idle.add(client)
  })
}

/** Whether a connection was made by an older URL of the database than the current one. */
export function isOutdated(client: PoolClient): boolean {
  return ours(client).outdated
}

/** The pool makes its clients of our class, which its types do not know. */
function ours(client: PoolClient): DatabaseClient {
  return client as unknown as DatabaseClient
}
