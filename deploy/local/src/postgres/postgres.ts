import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from '@gatehouse/prisma/connection'
import { openDataDirectory } from '../data-directory.ts'
import { messageOf, StartFailure } from '../failure.ts'
import { lockDirectory } from '../lock.ts'
import { pickPort } from '../ports.ts'
import { type Account, chooseAccount, type Way } from './account.ts'
import { databaseName, databaseUser, ensureCluster } from './cluster.ts'
import { readPostmasterFile, stopLeftover } from './leftover.ts'
import { launchServer, type Server, waitUntilAccepting } from './server.ts'
import { superviseServer } from './supervision.ts'

export type PostgresOptions = {
  /** Where postgres/ (database and password) and logs/postgres.log are created. */
  dataDirectory: string
  /** False switches fsync off and allows more connections, for tests: a power cut destroys the database. */
  durable?: boolean
  /** Called with a line for people. */
  log: (line: string) => void
  /** The ways to run it that may be tried; by default all. */
  ways?: readonly Way[]
  /** Cancels the start. */
  signal?: AbortSignal
}

export type Postgres = {
  /** The URL of the system's database, with user and password. It stays the same when the server is restarted. */
  url: string
  /** The server's current process. */
  readonly pid: number
  way: Way
  /** The folder with the database's files; the way may need it outside the data directory. */
  home: string
  /** Resolves when the server accepts connections: at once, unless it is being restarted. */
  accepting(): Promise<void>
  /**
   * Stops it for good: with a fast shutdown, and after `patience` (3,000 ms) with an immediate one, after which the next
   * start takes longer.
   */
  stop(patience?: number): Promise<void>
  /** Ends it for good without waiting. */
  destroy(): void
}

/**
 * Starts PostgreSQL for this process: on 127.0.0.1, on a free port, with a random password. It ends when this process
 * ends, even by SIGKILL, and is restarted when it ends by itself.
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
 * Creates an empty database on a server, unless it exists.
 * @param url the URL of any database of the server, with a user who may create databases
 * @returns the URL of the new database
 */
export async function createDatabase(url: string, name: string): Promise<string> {
  const client = await openConnection({ databaseUrl: url, applicationName: 'gatehouse-launcher' })
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
  const folder = join(directory, 'postgres')
  // A link to another place, as for root: the server was started with its real name.
  await stopLeftover(join(await realpath(folder).catch(() => folder), 'data'))
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
    throw new StartFailure(`The system's database could not be created: ${messageOf(error)}`)
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
