import { ConfigurationError } from '@gatehouse/kit/configuration-error'
import { databaseMetrics } from '@gatehouse/kit/metrics'
import { endBecauseOf, type ProcessContext } from '@gatehouse/kit/process'
import { untilDone } from '@gatehouse/kit/repeat'
import type { Attributes } from '@gatehouse/kit/trace'
import { traceStatement } from '@gatehouse/kit/trace-statement'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { parseDatabaseUrl } from '@gatehouse/prisma/database-url'

/** The variables of the database. */
type DatabaseConfig = { OAUTH2_DATABASE_URL: string; OAUTH2_DATABASE_POOL_SIZE: number }

/** A process's database. */
export type ServiceDatabase = Database & {
  /** Whether the database answers within a second. Never throws. */
  probe(): Promise<boolean>
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
    databaseUrl: config.OAUTH2_DATABASE_URL,
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
  const probe = () =>
    database.ping().then(
      () => true,
      (error) => {
        log.debug({ err: error }, 'the database did not answer')
        return false
      },
    )
  return { ...database, probe }
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

/** The database's address as span attributes of OpenTelemetry's semantic conventions, without user and password. */
function addressOf(databaseUrl: string): Attributes {
  const { hostname, pathname, port, searchParams } = new URL(parseDatabaseUrl(databaseUrl))
  return {
    'db.namespace': decodeURIComponent(pathname.slice(1)),
    'server.address': decodeURIComponent(hostname) || searchParams.get('host') || 'localhost',
    'server.port': Number(port || 5432),
  }
}
