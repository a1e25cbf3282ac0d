import { shared } from '@gatehouse/kit/shared'
import { PrismaPg } from '@prisma/adapter-pg'
import { Pool, type PoolConfig } from 'pg'
import { PrismaClient } from '../generated/client.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { type ObserveQuery, type ObserveWait, timeQueries, timeWaits } from './query-timing.ts'

export type { PoolClient, QueryConfig } from 'pg'
export type { Prisma, PrismaClient } from '../generated/client.ts'
export { isBadInput, isDatabaseUnavailable, isMissingPartition } from './database-errors.ts'

export interface Database {
  /** For everything ordinary. */
  prisma: PrismaClient
  /** The connections that Prisma uses too, for the hot statements. */
  pool: Pool
  /** Asks the database for a sign of life, on a connection of its own; rejects after 1 s at the latest. */
  ping(): Promise<void>
  /** Lets running queries end, then closes every connection. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  databaseUrl: string
  /** Shown in pg_stat_activity, e.g. `gatehouse-token`. */
  applicationName: string
  /** The most connections that this process opens, the probe's one not counted. */
  poolSize: number
  observe?: ObserveQuery
  observeWait?: ObserveWait
  /** An idle connection was lost, e.g. as the server restarted. Nobody's query failed; the next opens another. */
  onConnectionLost?: (error: Error) => void
}

/**
 * Opens a database. Nothing is connected yet and nothing fails when the server is away: the first query that needs
 * it does, and every later one tries anew. `await prisma.$connect()` does not connect either, but loads Prisma's
 * query compiler (some 75 ms), which the first query through Prisma would wait for otherwise.
 * @throws ConfigurationError when the URL is no PostgreSQL URL
 */
export function openDatabase(options: DatabaseOptions): Database {
  const connection: PoolConfig = {
    connectionString: parseDatabaseUrl(options.databaseUrl),
    application_name: options.applicationName,
    keepAlive: true,
  }
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
    async close() {
      await prisma.$disconnect()
      await Promise.all([pool.end(), probe.close()])
    },
  }
}

function openPool(connection: PoolConfig, options: DatabaseOptions): Pool {
  const pool = new Pool({
    ...connection,
    // Of a caller's wait for a connection, be it a new one or one that others have.
    connectionTimeoutMillis: 2000,
    idleTimeoutMillis: 30_000,
    // The server gives up first, which leaves the connection whole; the client's own limit is for a server that
    // does not answer at all, and costs the connection.
    statement_timeout: 4800,
    query_timeout: 5000,
    idle_in_transaction_session_timeout: 10_000,
  })
  pool.on('error', (error) => options.onConnectionLost?.(error))
  pool.on('connect', (client) => {
    // A connection that is lost between two statements of a transaction belongs to no query. Without a listener that
    // ends the process; with one, the transaction's next statement fails, and that one reaches somebody.
    client.on('error', () => {})
    if (options.observe) timeQueries(client, options.observe)
  })
  pool.on('release', (error, client) => {
    // Prisma gives a connection back even when its ROLLBACK failed. Whoever got it next would be inside the old
    // transaction, so it is closed instead.
    if (!error && client.getTransactionStatus() !== 'I') void client.end()
  })
  if (options.observe || options.observeWait) timeWaits(pool, options.observeWait)
  return pool
}

/** A pool of one: it makes a new connection when the old one is lost, and queues nobody behind users' queries. */
function openProbe(connection: PoolConfig): { ping(): Promise<void>; close(): Promise<void> } {
  const pool = new Pool({ ...connection, max: 1, connectionTimeoutMillis: 1000, query_timeout: 1000 })
  // The next ping says what there is to say.
  pool.on('error', () => {})
  const ask = shared(() => pool.query('select 1'))
  return {
    async ping() {
      const { promise: late, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => reject(new Error('Query read timeout: no sign of life within 1 s')),
        1000,
      )
      try {
        await Promise.race([ask(), late])
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => pool.end(),
  }
}
