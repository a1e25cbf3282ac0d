import { databaseMetrics } from '@gatehouse/kit/metrics'
import type { ProcessContext } from '@gatehouse/kit/process'
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
 * @throws ConfigurationError when the URL is not a PostgreSQL URL
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

/** The database's address as span attributes of OpenTelemetry's semantic conventions, without user and password. */
function addressOf(databaseUrl: string): Attributes {
  const { hostname, pathname, port, searchParams } = new URL(parseDatabaseUrl(databaseUrl))
  return {
    'db.namespace': decodeURIComponent(pathname.slice(1)),
    'server.address': decodeURIComponent(hostname) || searchParams.get('host') || 'localhost',
    'server.port': Number(port || 5432),
  }
}
