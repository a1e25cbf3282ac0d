import { join } from 'node:path'
import { inTime } from '@gatehouse/kit/time/in-time'
import type { LauncherConfig } from './config.ts'
import { openDataDirectory } from './data-directory.ts'
import { isEmptyDatabase, migrateDatabase } from './database.ts'
import { noteDatabaseUrl } from './database-address.ts'
import { lockDirectory } from './lock.ts'
import { keepLogsSmall } from './logs.ts'
import { requireFreePort, reservePorts } from './ports.ts'
import { type Postgres, startPostgres } from './postgres/postgres.ts'
import { forgetPassword, loadSecrets, preparePassword } from './secrets.ts'
import { type SystemProcess, startServices, stopServices } from './service-group.ts'
import { type ServiceName, serviceNames } from './services.ts'
import { readVariables } from './variables.ts'

export type SystemOptions = {
  /** The variables of the launcher and of all services. */
  env: NodeJS.ProcessEnv
  /** Called with a line for people about anything unusual. */
  log: (line: string) => void
  /** Called with the name of a service that ended unexpectedly. */
  onCrash?: (name: string) => void
  /** Cancels the start. */
  signal?: AbortSignal
  /** The file that runs a service, if it is not services/NAME/src/main.ts. */
  entry?: (name: ServiceName) => string
  /** False switches fsync of the embedded PostgreSQL off, for tests. */
  durable?: boolean
  /** How long the first start of a service may take, in milliseconds. */
  startTimeout?: number
}

/** A system that runs. */
export type System = {
  /** Its public base URL. */
  baseUrl: string
  config: LauncherConfig
  dataDirectory: string
  /** Whether its database had never been used before. */
  firstStart: boolean
  /** The administrator's password, if this start generated it. Nobody can find it out later. */
  generatedPassword?: string
  databaseUrl: string
  /** The embedded PostgreSQL, unless OAUTH2_DATABASE_URL names another. */
  postgres: Postgres | undefined
  processes: SystemProcess[]
  /** Stops everything within 5 s. */
  stop(): Promise<void>
  /** Ends everything at once. Work in progress is lost; committed data is not. */
  destroy(): void
}

/** In milliseconds. With the services' 4,200 ms this is less than 5 s. */
const databasePatience = 600

/**
 * Starts the whole system: PostgreSQL (unless one is given), migrations, the five processes. Resolves when all of them serve.
 * If it fails, it leaves no process behind.
 * @throws StartFailure or ConfigurationError with the line to print
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const variables = readVariables(options.env)
  const started = new AsyncDisposableStack()
  try {
    return await start(variables, options, started)
  } catch (error) {
    await started.disposeAsync()
    // The cancellation may be the cause of the failure.
    options.signal?.throwIfAborted()
    throw error
  }
}

async function start(
  { config, warnings }: ReturnType<typeof readVariables>,
  options: SystemOptions,
  started: AsyncDisposableStack,
): Promise<System> {
  const { log, signal } = options
  const dataDirectory = openDataDirectory(config.dataDirectory)
  const lock = lockDirectory(dataDirectory, 'launcher')
  started.defer(lock.release)
  started.defer(keepLogsSmall(join(dataDirectory, 'logs'), log))
  for (const warning of warnings) log(warning)
  const reserved = await reservePorts(serviceNames.length * 2 + 1)
  started.defer(reserved.release)
  const port = config.port || (reserved.ports.at(-1) as number)
  // After a launcher was killed, its gateway has up to 8 s to finish.
  await requireFreePort(config.host, port, lock.afterCrash ? 9_000 : 0)

  const secrets = await loadSecrets(dataDirectory)
  const postgres = config.databaseUrl ? undefined : await startEmbedded(dataDirectory, options)
  if (postgres) {
    started.defer(() => postgres.stop(databasePatience))
    started.defer(noteDatabaseUrl(dataDirectory, postgres.url))
  }
  const databaseUrl = config.databaseUrl ?? (postgres as Postgres).url
  const firstStart = await isEmptyDatabase(config.directDatabaseUrl ?? databaseUrl)
  const generated = await preparePassword(dataDirectory, secrets, firstStart, config.seedPassword)
  signal?.throwIfAborted()
  const migration = {
    OAUTH2_DATABASE_URL: databaseUrl,
    OAUTH2_DATABASE_DIRECT_URL: config.directDatabaseUrl,
    OAUTH2_MIGRATION_DATABASE_URL: config.migrationDatabaseUrl,
  }
  await migrateDatabase(migration, log)
  signal?.throwIfAborted()

  const baseUrl = config.publicBaseUrl ?? `${config.https ? 'https' : 'http'}://localhost:${port}`
  const values = {
    ...variablesFrom(config, secrets),
    OAUTH2_SERVER_PORT: String(port),
    OAUTH2_SERVER_PUBLIC_BASE_URL: baseUrl,
    OAUTH2_DATABASE_URL: databaseUrl,
    OAUTH2_SEED_PASSWORD: config.seedPassword ?? generated,
  }
  const services = startServices({
    ...options,
    dataDirectory,
    ports: reserved.ports,
    values,
    warned(name, warning) {
      if (!warnings.includes(warning)) log(`${name}: ${warning}`)
    },
    beforeRestart: async () => postgres?.accepting(),
  })
  started.defer(() => stopServices(services))
  const ready = Promise.all(services.map((service) => service.ready))
  await (signal ? inTime(signal, ready) : ready)
  // A start that is stopped now ends without the summary, which shows the password.
  signal?.throwIfAborted()
  await forgetPassword(dataDirectory, secrets)
  return {
    baseUrl,
    config,
    dataDirectory,
    firstStart,
    databaseUrl,
    postgres,
    processes: services,
    ...(generated !== undefined && { generatedPassword: generated }),
    ...endsOf(started, services, postgres),
  }
}

/** The ways to end a system. */
function endsOf(
  started: AsyncDisposableStack,
  services: readonly SystemProcess[],
  postgres: Postgres | undefined,
): Pick<System, 'stop' | 'destroy'> {
  let stopped: Promise<void> | undefined
  return {
    stop() {
      stopped ??= started.disposeAsync()
      return stopped
    },
    destroy() {
      for (const service of services) service.destroy()
      postgres?.destroy()
    },
  }
}

function startEmbedded(
  dataDirectory: string,
  { durable = true, log, signal }: SystemOptions,
): Promise<Postgres> {
  return startPostgres({ dataDirectory, durable, log, ...(signal && { signal }) })
}

/** The services' variables that follow from the configuration and the kept secrets alone. */
function variablesFrom(config: LauncherConfig, secrets: Awaited<ReturnType<typeof loadSecrets>>) {
  return {
    OAUTH2_SERVER_HOST: config.host,
    OAUTH2_JWT_SECRET: config.jwtSecret ?? secrets.jwtSecret,
    OAUTH2_SESSION_KEY: config.sessionKey ?? secrets.sessionKey,
    OAUTH2_FACTOR_KEY: config.factorKey ?? secrets.factorKey,
    OAUTH2_SEED_USERNAME: config.seedUsername,
    OAUTH2_ACCOUNT_DELETION: String(config.accountDeletion),
    OAUTH2_GRPC_REFLECTION: String(config.reflection),
    ...(config.mailDirectory !== undefined && { OAUTH2_MAIL_DIRECTORY: config.mailDirectory }),
  }
}
