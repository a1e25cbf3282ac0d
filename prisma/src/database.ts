import { PrismaPg } from '@prisma/adapter-pg'
import {
  type ClientBase,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryConfig,
  type QueryResult,
} from 'pg'
import { PrismaClient } from '../generated/client.ts'
import { type ConnectionConfig, DatabaseClient, UnnamedClient } from './client.ts'
import {
  applySettings,
  connectionConfig,
  currentUrl,
  type DatabaseUrl,
  settingsOfRequests,
} from './connection.ts'
import { type ObserveQuery, type ObserveWait, timeQueries, timeWaits } from './query-timing.ts'
import { requireSuitableServer } from './suitable-server.ts'
import { requireTransactionPooler } from './transaction-pooler.ts'
import { closeUnusable } from './unusable-connections.ts'

export type { PoolClient, QueryConfig } from 'pg'
export type { Prisma, PrismaClient } from '../generated/client.ts'
export {
  isBadInput,
  isDatabaseUnavailable,
  isMissingPartition,
  isUnstorableText,
} from './database-errors.ts'

export interface Database {
  /** For ordinary queries. */
  prisma: PrismaClient
  /** The connections that Prisma uses, for frequent statements. */
  pool: Pool
  /**
   * Connections that each lead to a session of PostgreSQL of their own, for locks and settings that outlast a transaction. They are
   * those of `pool`, unless a pooler in transaction mode is there.
   */
  sessions: Pool
  /**
   * Checks that the database does what is asked, on a connection that is got as a request would get one; rejects after at most 1 s.
   * While requests use all connections it takes one of its own, opened as theirs, so it does not wait behind them. Its queries
   * are neither measured nor traced.
   * @param attempt the queries to ask, `select 1` by default; they must leave no transaction open
   */
  ping(attempt?: Attempt): Promise<void>
  /**
   * Checks that the server is one on which Gatehouse works.
   * @throws ConfigurationError in one line for one that is too old, or behind a pooler that does not work as it was configured; else
   *   what node-postgres throws
   */
  requireSuitable(): Promise<void>
  /** Waits for running queries, then closes every connection. */
  close(): Promise<void>
}

/** Asks the database for something; `ask` runs one statement. */
export type Attempt = (ask: (query: string | QueryConfig) => Promise<QueryResult>) => Promise<unknown>

export interface DatabaseOptions {
  databaseUrl: DatabaseUrl
  /** The URL of PostgreSQL itself, when `databaseUrl` leads to a pooler in transaction mode. */
  directUrl?: DatabaseUrl | undefined
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
 * @throws ConfigurationError when the URL is not a PostgreSQL URL, or its TLS parameters make no sense
 */
export function openDatabase(options: DatabaseOptions): Database {
  const { databaseUrl, directUrl, applicationName } = options
  const connection = {
    ...connectionConfig(databaseUrl, applicationName),
    ...(directUrl === undefined ? setting : { Client: classOf(UnnamedClient) }),
  }
  const pool = openPool({ ...connection, max: options.poolSize }, options)
  const spare = openPool({ ...connection, max: 1 }, {})
  const sessions = directUrl === undefined ? pool : openSessions(directUrl, options)
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool),
    errorFormat: 'minimal',
    transactionOptions: { maxWait: 2000, timeout: 5000 },
  })
  return {
    prisma,
    pool,
    sessions,
    ping: (attempt = selectOne) => withinASecond(tryOut(pool, spare, attempt)),
    async requireSuitable() {
      const url = connection.urlNow()
      if (directUrl === undefined)
        return withTwo(pool, (one, other) => requireSuitableServer(one, other, url))
      await withTwo(sessions, (one, other) =>
        requireSuitableServer(one, other, currentUrl(directUrl), 'OAUTH2_DATABASE_DIRECT_URL'),
      )
      await withTwo(pool, (client) => requireTransactionPooler(client, url))
    },
    async close() {
      await prisma.$disconnect()
      await Promise.all([...new Set([pool, spare, sessions])].map((each) => each.end()))
    },
  }
}

const setting = { onConnect: (client: ClientBase) => applySettings(client, settingsOfRequests) }

/** The elected replica holds one of them, and another one is needed while partitions are dropped. An idle one is not kept. */
function openSessions(directUrl: DatabaseUrl, options: DatabaseOptions): Pool {
  const connection = connectionConfig(directUrl, options.applicationName)
  return openPool({ ...connection, ...setting, max: 3, idleTimeoutMillis: 1_000 }, options)
}

/** Does work with two connections of a pool at once. One that is left inside a transaction is closed when it is released. */
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
      other.release()
    }
  } finally {
    one.release()
  }
}

/** The pool's types know the class of node-postgres alone. */
function classOf(client: typeof DatabaseClient): NonNullable<PoolConfig['Client']> {
  return client as unknown as NonNullable<PoolConfig['Client']>
}

function openPool(
  connection: ConnectionConfig & PoolConfig,
  options: Pick<DatabaseOptions, 'observe' | 'observeWait' | 'onConnectionLost'>,
): Pool {
  const pool = new Pool({
    idleTimeoutMillis: 30_000,
    Client: classOf(DatabaseClient),
    ...connection,
    // Limits a caller's wait for a connection, whether a new one or one in use.
    connectionTimeoutMillis: 2000,
    query_timeout: 5000,
  })
  pool.on('error', (error) => options.onConnectionLost?.(error))
  pool.on('connect', (client) => {
    // When a connection is lost between two statements of a transaction, no query gets the error. Without a listener it
    // would end the process; with one, the transaction's next statement fails and the caller gets its error.
    client.on('error', () => {})
    if (options.observe) timeQueries(client, options.observe)
  })
  closeUnusable(pool)
  if (options.observe || options.observeWait) timeWaits(pool, options.observeWait)
  return pool
}

const selectOne: Attempt = (ask) => ask('select 1')

/** In milliseconds. */
const patience = 1_000

/**
 * Makes an attempt as a request would: on a connection of the pool if one is free or may be opened. A connection on which it failed is
 * closed.
 * @param spare has a connection for when requests use all of the pool's
 */
async function tryOut(pool: Pool, spare: Pool, attempt: Attempt): Promise<void> {
  const hasRoom = pool.idleCount > 0 || pool.totalCount < pool.options.max
  const client = await (pool.waitingCount === 0 && hasRoom ? pool : spare).connect()
  try {
    // Without the measuring of the connection's own `query`.
    const { query: send }: Pick<PoolClient, 'query'> = Object.getPrototypeOf(client)
    await attempt((query) => {
      const config = typeof query === 'string' ? { text: query } : query
      return send.call<PoolClient, [QueryConfig], Promise<QueryResult>>(client, {
        ...config,
        query_timeout: patience,
      } as QueryConfig)
    })
  } catch (error) {
    // Without the error: the limit of an attempt is short, and says nothing of other connections.
    client.release(true)
    throw error
  }
  client.release()
}

async function withinASecond(attempt: Promise<void>): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('Query read timeout: no answer within 1 s')), patience)
  try {
    await Promise.race([attempt, late])
  } finally {
    clearTimeout(timer)
  }
}
