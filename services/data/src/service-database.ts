import { databaseMetrics } from '@gatehouse/kit/metrics'
import type { ProcessContext } from '@gatehouse/kit/process'
import type { Attributes } from '@gatehouse/kit/trace'
import { traceStatement } from '@gatehouse/kit/trace-statement'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { parseDatabaseUrl } from '@gatehouse/prisma/database-url'

/** The variables that say where the database is. */
type DatabaseConfig = { OAUTH2_DATABASE_URL: string; OAUTH2_DATABASE_POOL_SIZE: number }

/** A database that belongs to a process. */
export type ServiceDatabase = Database & {
  /** Whether the database gives a sign of life within a second. Never throws. */
  probe(): Promise<boolean>
}

/**
 * Opens the database of a process, measured, traced and logged as the process's own, and closes it when the process ends.
 * @param context the process
 * @throws ConfigurationError when the URL is none of PostgreSQL's
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
  // Loads Prisma's query compiler now instead of with the first request; it asks nothing of the server.
  await database.prisma.$connect()
  const probe = () =>
    database.ping().then(
      () => true,
      (error) => {
        log.debug({ err: error }, 'no sign of life from the database')
        return false
      },
    )
  return { ...database, probe }
}

/** What OpenTelemetry's semantic conventions have spans say of where the database is; no user, no password. */
function addressOf(databaseUrl: string): Attributes {
  const { hostname, pathname, port, searchParams } = new URL(parseDatabaseUrl(databaseUrl))
  return {
    'db.namespace': decodeURIComponent(pathname.slice(1)),
    'server.address': decodeURIComponent(hostname) || searchParams.get('host') || 'localhost',
    'server.port': Number(port || 5432),
  }
}
