import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openDataDirectory } from './data-directory.ts'
import { messageOf, StartFailure } from './failure.ts'
import { lockDirectory } from './lock.ts'
import { pickPort } from './ports.ts'
import { type Account, chooseAccount, type Way } from './postgres-account.ts'
import { databaseName, databaseUser, ensureCluster } from './postgres-cluster.ts'
import { readPostmasterFile, stopLeftover } from './postgres-leftover.ts'
import { launchServer, type Server, waitUntilAccepting } from './postgres-server.ts'
import { superviseServer } from './postgres-supervision.ts'

export type PostgresOptions = {
  /** Gets postgres/ (database and password) and logs/postgres.log. */
  dataDirectory: string
  /** False switches fsync off, for tests: a power cut destroys the database. */
  durable?: boolean
  /** Takes one line for a person. */
  log: (line: string) => void
  /** The ways to run it that may be tried; all when left out. */
  ways?: readonly Way[]
  /** Gives up the start. */
  signal?: AbortSignal
}

export type Postgres = {
  /** Where the system's database is, with user and password; it stays the same when the server is started again. */
  url: string
  /** The server's process at this moment. */
  readonly pid: number
  way: Way
  /** The folder with the database's files, wherever the way needs it to be. */
  home: string
  /** Resolves once the server takes connections: at once, unless it is being started again. */
  accepting(): Promise<void>
  /** Stops it for good: fast, and after `patience` (3,000 ms) at once, which only costs the next start some time. */
  stop(patience?: number): Promise<void>
  /** Ends it for good without waiting for anything. */
  destroy(): void
}

/**
 * Starts PostgreSQL for this process: on 127.0.0.1, on a free port, behind a random password. It ends when this
 * process does, even by SIGKILL, and is started again when it ends by itself.
 * @throws StartFailure when the directory is in use or PostgreSQL cannot run here
 */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const directory = openDataDirectory(options.dataDirectory)
  const lock = lockDirectory(directory, 'postgres')
  try {
    return await start(directory, options, lock.release)
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Makes an empty database on the server that a URL leads to, unless it is there.
 * @param url of any database there, of a user who may create databases
 * @returns the URL of the new one
 */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
  const created = new URL(url)
  created.pathname = `/${encodeURIComponent(name)}`
  return created.href
}

async function start(directory: string, options: PostgresOptions, release: () => void): Promise<Postgres> {
  const { log, signal, durable = true } = options
  const logFile = join(directory, 'logs', 'postgres.log')
  await stopLeftover(join(directory, 'postgres', 'data'))
  const account = await chooseAccount(directory, options.ways)
  const password = await ensureCluster(account, durable, signal)
  const data = join(account.home, 'data')
  const run = await launchOnFreePort(account, { password, durable, logFile, signal })
  const { port, firstUrl, server } = run
  let url: string
  try {
    url = await createDatabase(firstUrl, databaseName)
  } catch (error) {
    await server.stop(3_000)
    throw new StartFailure(`PostgreSQL has no database for the system: ${messageOf(error)}`)
  }

  const supervision = superviseServer(server, {
    async launch(delay, signal) {
      if (delay > 0) await sleep(delay, undefined, { signal })
      signal.throwIfAborted()
      await stopLeftover(data)
      return launchServer(account, port, durable, logFile)
    },
    untilAccepting: (launched, signal) => waitUntilAccepting(launched, firstUrl, signal),
    log,
    logFile,
  })
  return {
    url,
    way: account.way,
    home: account.home,
    get pid() {
      return readPostmasterFile(data)?.pid ?? 0
    },
    accepting: supervision.accepting,
    async stop(patience = 3_000) {
      await supervision.stop(patience)
      release()
    },
    destroy: supervision.destroy,
  }
}

type Launch = { password: string; durable: boolean; logFile: string; signal: AbortSignal | undefined }

async function launchOnFreePort(
  account: Account,
  { password, durable, logFile, signal }: Launch,
): Promise<{ server: Server; port: number; firstUrl: string }> {
  for (let attempt = 1; ; attempt++) {
    const port = await pickPort()
    const firstUrl = `postgresql://${databaseUser}:${password}@127.0.0.1:${port}/postgres`
    const server = launchServer(account, port, durable, logFile)
    try {
      await waitUntilAccepting(server, firstUrl, signal)
      return { server, port, firstUrl }
    } catch (error) {
      const taken = server.hasEnded() && /could not bind|could not create any TCP/.test(server.reason())
      await server.stop(1_000)
      if (!taken || attempt === 3) throw error
    }
  }
}
