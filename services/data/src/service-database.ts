import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import { followSecret } from '@gatehouse/kit/files/follow-secret'
import { endBecauseOf, type ProcessContext } from '@gatehouse/kit/process/process'
import { clockSkewMetric, databaseMetrics } from '@gatehouse/kit/telemetry/metrics'
import type { Attributes } from '@gatehouse/kit/telemetry/trace'
import { traceStatement } from '@gatehouse/kit/telemetry/trace-statement'
import { untilDone } from '@gatehouse/kit/time/repeat'
import { requireLogin } from '@gatehouse/prisma/connection'
import { type Attempt, type Database, openDatabase } from '@gatehouse/prisma/database'
import { parseDatabaseUrl } from '@gatehouse/prisma/database-url'
import { hostOf, portOf, serverUrls } from '@gatehouse/prisma/server-urls'
import { compareClocks } from './clock-skew.ts'
import { databaseVariables } from './database-variables.ts'

/** The variables of the database. */
type DatabaseConfig = {
  OAUTH2_DATABASE_URL: string
  OAUTH2_DATABASE_POOL_SIZE: number
  OAUTH2_DATABASE_POOLER: 'session' | 'transaction'
  OAUTH2_DATABASE_DIRECT_URL?: string
}

/** A process's database. */
export type ServiceDatabase = Database & {
  /**
   * Makes a function that tells whether the database does within a second what requests ask of it. The function never throws.
   * @param attempt asks the database for what requests need, and leaves nothing behind
   */
  probeOf(attempt: Attempt): () => Promise<boolean>
}

/**
 * Opens a process's database with the process's metrics, traces and log, and closes it when the process ends.
 * @param context the process
 * @throws ConfigurationError when the URL is not a PostgreSQL URL, or the server is not one on which Gatehouse works
 */
export async function openServiceDatabase(context: ProcessContext<DatabaseConfig>): Promise<ServiceDatabase> {
  const { config, log, name, registry } = context
  const { observe, observeWait } = databaseMetrics(registry)
  const address = addressOf(config.OAUTH2_DATABASE_URL)
  const database = openDatabase({
    ...(await followUrls(context)),
    applicationName: `gatehouse-${name}`,
    poolSize: config.OAUTH2_DATABASE_POOL_SIZE,
    observe(operation, seconds, error) {
      observe(operation, seconds)
      traceStatement(operation, seconds, address, error)
    },
    observeWait,
    onConnectionLost: (error) => log.debug({ err: error }, 'an idle database connection was lost'),
  })
  context.onShutdown(() => database.close())
  // Loads Prisma's query compiler now instead of with the first request. It does not contact the server.
  await database.prisma.$connect()
  await requireSuitableServer(context, database)
  const clocks = { log, now: Date.now, measured: clockSkewMetric(registry) }
  return {
    ...database,
    probeOf(attempt) {
      const compared = compareClocks(attempt, clocks)
      return probeOf(context, () => database.ping(compared))
    },
  }
}

/** The URLs of the database, which follow their files. A changed one counts once a server has accepted its role and password. */
async function followUrls(context: ProcessContext<DatabaseConfig>) {
  const { config, name } = context
  const follow = (variable: 'OAUTH2_DATABASE_URL' | 'OAUTH2_DATABASE_DIRECT_URL', value: string) =>
    followSecret(context, {
      name: variable,
      schema: databaseVariables[variable],
      value,
      tryOut: (url) => requireLogin(url, `gatehouse-${name}`),
      lookEveryMs: 1_000,
    })
  const { OAUTH2_DATABASE_DIRECT_URL: direct } = config
  const isPooled = config.OAUTH2_DATABASE_POOLER === 'transaction' && direct !== undefined
  return {
    databaseUrl: await follow('OAUTH2_DATABASE_URL', config.OAUTH2_DATABASE_URL),
    directUrl: isPooled ? await follow('OAUTH2_DATABASE_DIRECT_URL', direct) : undefined,
  }
}

/** Of several failures in a row for the same reason only the first is logged. */
function probeOf({ log }: ProcessContext<unknown>, ping: () => Promise<void>): () => Promise<boolean> {
  let reason: string | undefined
  return async () => {
    try {
      await ping()
      reason = undefined
      return true
    } catch (error) {
      const { message } = error as Error
      if (message !== reason) log.warn({ err: error }, 'the database does not do what requests need')
      reason = message
      return false
    }
  }
}

/**
 * Asks for a change of no row. The server refuses it where it would refuse a change: it accepts no writes, has no such table, or the
 * role lacks the right.
 * @param table with its schema
 * @param column any of the table's columns that may be updated
 */
export function changeNothing(table: string, column: string): Attempt {
  return (ask) => ask(`update ${table} set ${column} = ${column} where false`)
}

/** Milliseconds between two looks at a server that is away. */
const lookEvery = 1_000

/**
 * Refuses a server on which Gatehouse does not work. A server that is away may be one, so a process that started without it ends when
 * it turns out to be.
 */
async function requireSuitableServer(
  context: ProcessContext<DatabaseConfig>,
  database: Database,
): Promise<void> {
  let isStarting = true
  let refusal: ConfigurationError | undefined
  await untilDone(context, 'checking the database server', lookEvery, async () => {
    try {
      await database.requireSuitable()
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      if (!isStarting) endBecauseOf(context.name, error)
      refusal = error
    }
  })
  isStarting = false
  if (refusal) throw refusal
}

/**
 * The database's address as span attributes of OpenTelemetry's semantic conventions, without user and password. One of several servers
 * is none that a statement certainly went to.
 */
function addressOf(databaseUrl: string): Attributes {
  const [first = '', ...others] = serverUrls(parseDatabaseUrl(databaseUrl))
  const url = new URL(first)
  const namespace = { 'db.namespace': decodeURIComponent(url.pathname.slice(1)) }
  if (others.length > 0) return namespace
  return {
    ...namespace,
    'server.address': hostOf(url) || 'localhost',
    'server.port': Number(portOf(url)),
  }
}
