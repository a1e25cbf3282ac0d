import { shared } from '@gatehouse/kit/shared'
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { PrismaClient } from '../generated/client.ts'
import { applySettings, connectionConfig } from './connection.ts'
import { type ObserveQuery, type ObserveWait, timeQueries, timeWaits } from './query-timing.ts'
import { requireSuitableServer } from './suitable-server.ts'

export type { PoolClient, QueryConfig } from 'pg'
export type { Prisma, PrismaClient } from '../generated/client.ts'
export { isBadInput, isDatabaseUnavailable, isMissingPartition } from './database-errors.ts'

export interface Database {
  /** For ordinary queries. */
  prisma: PrismaClient
  /** The connections that Prisma uses, for frequent statements. */
  pool: Pool
  /** Checks that the database answers, on a separate connection; rejects after at most 1 s. */
  ping(): Promise<void>
  /**
   * Checks that the server is one on which Gatehouse works.
   * @throws ConfigurationError in one line for one that is too old, or behind a pooler that does not keep connections; else what
   *   node-postgres throws
   */
  requireSuitable(): Promise<void>
  /** Waits for running queries, then closes every connection. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  databaseUrl: string
  /** Shown in pg_stat_activity, e.g. `gatehouse-token`. */
  applicationName: string
  /** The most connections that this process opens, not counting the probe's. */
  poolSize: number
  observe?: ObserveQuery
  observeWait?: ObserveWait
  /** Called when an idle connection is lost, e.g. at a restart of the server. No query fails; the next one opens another. */
  onConnectionLost?: (error: Error) => void
}

/**
 * Opens a database. It does not connect yet, so nothing fails while the server is away: the first query connects, and every
 * later one tries again. `await prisma.$connect()` does not connect either, but loads Prisma's query compiler (some 75 ms),
 * for which the first query through Prisma would wait otherwise.
 * @throws ConfigurationError when the URL is not a PostgreSQL URL
 */
export function openDatabase(options: DatabaseOptions): Database {
  const connection: PoolConfig = connectionConfig(options.databaseUrl, options.applicationName)
  const pool = openPool({ ...connection, max: options.poolSize }, options)
  const probe = openProbe(connection)
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 2000, timeout: 5000 },
  })
  return {
    prisma,
    pool,
    ping: probe.ping,
    requireSuitable: () =>
      withTwo(pool, (one, other) => requireSuitableServer(one, other, options.databaseUrl)),
    async close() {
      await prisma.$disconnect()
      await Promise.all([pool.end(), probe.close()])
    },
  }
}

/**
 * In milliseconds. The server cancels a statement first, which keeps the connection usable. The client's own limit is for a server
 * that does not answer at all, and costs the connection.
 */
const ofRequests = { statement_timeout: 4_800, idle_in_transaction_session_timeout: 10_000 }

/** Does work with two connections of a pool, which are closed afterwards, since they may be inside a transaction. */
async function withTwo<Result>(
  pool: Pool,
  work: (one: PoolClient, other: PoolClient) => Promise<Result>,
): Promise<Result> {
  const one = await pool.connect()
  try {
    const other = await pool.connect()
    try {
      return await work(one, other)
    } finally {
      other.release(true)
    }
  } finally {
    one.release()
  }
}

function openPool(connection: PoolConfig, options: DatabaseOptions): Pool {
  const pool = new Pool({
    ...connection,
    // Limits a caller's wait for a connection, whether a new one or one in use.
    connectionTimeoutMillis: 2000,
    idleTimeoutMillis: 30_000,
    query_timeout: 5000,
    onConnect: (client) => applySettings(client, ofRequests),
  })
  pool.on('error', (error) => options.onConnectionLost?.(error))
  pool.on('connect', (client) => {
    // When a connection is lost between two statements of a transaction, no query gets the error. Without a listener it
    // would end the process; with one, the transaction's next statement fails and the caller gets its error.
    client.on('error', () => {})
    if (options.observe) timeQueries(client, options.observe)
  })
  pool.on('release', (error, client) => {
    // Prisma releases a connection even when its ROLLBACK failed. The next user would be inside the old transaction, so it is
    // closed instead.
    if (!error && client.getTransactionStatus() !== 'I') void client.end()
  })
  if (options.observe || options.observeWait) timeWaits(pool, options.observeWait)
  return pool
}

/** A pool of one connection, which reconnects by itself and does not wait behind other queries. */
function openProbe(connection: PoolConfig): { ping(): Promise<void>; close(): Promise<void> } {
  const pool = new Pool({
    ...connection,
    max: 1,
    connectionTimeoutMillis: 1000,
    query_timeout: 1000,
    onConnect: (client) => applySettings(client),
  })
  // The next ping reports the failure.
  pool.on('error', () => {})
  const ask = shared(() => pool.query('select 1'))
  return {
    async ping() {
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(new Error('Query read timeout: no answer within 1 s')), 1000)
      try {
        await Promise.race([ask(), late])
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => pool.end(),
  }
}
