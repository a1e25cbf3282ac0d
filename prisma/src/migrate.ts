import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import type { Client } from 'pg'
import { openConnection } from './connection.ts'
import { describeConnectionFailure, insufficientPrivilege } from './database-errors.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { type MigrationFile, migrationsDirectory, readMigrations } from './migration-files.ts'
import { requireRights } from './migration-rights.ts'
import { requireReleaseBefore } from './releases.ts'
import { giveRights } from './service-role.ts'
import { requireSuitableServer } from './suitable-server.ts'
import { setRoleSettings } from './transaction-pooler.ts'

/** The two log levels that migrations use, with pino's signatures. */
export interface MigrationLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

interface AppliedMigration {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

/** PostgreSQL's codes for a deadlock and for a lock that did not become free in time, and how often a migration is tried because of one. */
const lockConflicts: ReadonlySet<string> = new Set(['40P01', '55P03'])
const mostAttempts = 5

/** The number that Prisma's own `migrate` locks, so that the two exclude each other. */
const lockKey = 72707369

/** Exactly Prisma's own table, so that each of the two can continue where the other stopped. */
const migrationsTable = `create table if not exists public._prisma_migrations (
  id                  varchar(36) primary key not null,
  checksum            varchar(64) not null,
  finished_at         timestamptz,
  migration_name      varchar(255) not null,
  logs                text,
  rolled_back_at      timestamptz,
  started_at          timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`

/**
 * Migrates a database to this release's tables. Any number of processes may call it at once: one does the work, the others
 * wait for it and then find nothing to do. Each migration is one transaction, which also records it.
 * @param options.databaseUrl must have a role that may create schemas in the database and tables in the schema public
 * @param options.serviceRole the role of the services, if it is another one; it gets its rights on the tables
 * @param options.isPooled whether the services use a pooler in transaction mode: their role gets the settings of its connections
 * @param options.directory migrations/ of this package by default
 * @returns the names of the migrations applied now, oldest first
 * @throws ConfigurationError in one line when the server is too old or behind a pooler that does not keep connections; Error in one
 *   line: the database cannot be reached (after at most 5 s), the role lacks a right, an applied migration's file was changed, the
 *   database skips a release, a
 *   migration that Prisma began was never finished, one failed (it is rolled back; earlier ones stay), or the service role cannot be given its rights
 */
export async function migrate(options: {
  databaseUrl: string
  serviceRole?: string
  isPooled?: true
  log: MigrationLog
  directory?: string
}): Promise<string[]> {
  const databaseUrl = parseDatabaseUrl(options.databaseUrl)
  const files = await readMigrations(options.directory ?? migrationsDirectory)
  // Ending the connection releases the advisory lock.
  return onConnection(databaseUrl, async (client) => {
    await takeLock(client, options.log)
    const applied = await readApplied(client)
    if (applied === undefined) {
      await requireRights(client)
      await client.query(migrationsTable)
    }
    const pending = findPending(files, applied ?? [], options.log)
    await requireReleaseBefore(client, files, new Set(applied?.map((row) => row.migration_name)))
    for (const file of pending) {
      const start = performance.now()
      await applyAmongOthers(client, file, options.log)
      const milliseconds = Math.round(performance.now() - start)
      options.log.info({ migration: file.name, milliseconds }, 'migration applied')
    }
    if (options.serviceRole !== undefined) await giveRights(client, options.serviceRole)
    if (options.isPooled) await setRoleSettings(client, options.serviceRole)
    return pending.map((file) => file.name)
  })
}

/**
 * Lists the migrations of this release that a database does not have yet. Changes nothing.
 * @param options.databaseUrl its role only needs to read
 * @param options.directory migrations/ of this package by default
 * @returns the migrations' names, oldest first
 * @throws ConfigurationError as `migrate`; Error in one line: the database cannot be reached, or its migrations do not match this
 *   release's
 */
export async function pendingMigrations(options: {
  databaseUrl: string
  log: MigrationLog
  directory?: string
}): Promise<string[]> {
  const files = await readMigrations(options.directory ?? migrationsDirectory)
  return onConnection(parseDatabaseUrl(options.databaseUrl), async (client) =>
    findPending(files, (await readApplied(client)) ?? [], options.log).map((file) => file.name),
  )
}

/**
 * Does work on a connection to a server that is known to be suitable.
 * @throws ConfigurationError when the server is not suitable; Error in one line when it cannot be reached
 */
async function onConnection<Result>(
  databaseUrl: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  await using ended = new AsyncDisposableStack()
  const open = async () => {
    const client = await openConnection({
      databaseUrl,
      applicationName: 'gatehouse-migrate',
      // The role may have a short timeout for requests, but waiting for the lock or building an index takes longer.
      settings: { statement_timeout: 0 },
    })
    ended.defer(() => client.end())
    return client
  }
  const client = await open()
    .then(async (first) => {
      const second = await open()
      await requireSuitableServer(first, second, databaseUrl)
      await second.end()
      return first
    })
    .catch((error) => {
      if (error instanceof ConfigurationError) throw error
      throw new Error(describeConnectionFailure(error, databaseUrl), { cause: error })
    })
  return await work(client)
}

async function takeLock(client: Client, log: MigrationLog): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    lockKey,
  ])
  if (rows[0]?.taken) return
  log.info({}, 'another process is migrating this database; waiting for it')
  await client.query('select pg_advisory_lock($1)', [lockKey])
}

/** undefined when nothing was ever applied. Looks for the table first, so that a role that cannot create tables can start. */
async function readApplied(client: Client): Promise<AppliedMigration[] | undefined> {
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('public._prisma_migrations') is not null as found`,
  )
  if (!rows[0]?.found) return undefined
  const applied = await client.query<AppliedMigration>(
    `select migration_name, checksum, finished_at from public._prisma_migrations
     where rolled_back_at is null order by migration_name`,
  )
  return applied.rows
}

function findPending(
  files: MigrationFile[],
  applied: AppliedMigration[],
  log: MigrationLog,
): MigrationFile[] {
  const known = new Map(files.map((file) => [file.name, file]))
  const unknown: string[] = []
  for (const { migration_name: name, checksum, finished_at } of applied) {
    if (finished_at === null) {
      throw new Error(
        `migration ${name} was begun but never finished; see column logs of its row in _prisma_migrations, ` +
          'repair what it left, then delete the row (to run it again) or set finished_at (when it is complete)',
      )
    }
    const file = known.get(name)
    if (file === undefined) unknown.push(name)
    else if (file.checksum !== checksum) {
      throw new Error(
        `migration ${name} was changed after it was applied to this database; ` +
          'restore its file and put the change into a new migration',
      )
    }
  }
  if (unknown.length > 0) {
    // A release must run on its successor's tables, or neither a roll-out nor a roll-back would work.
    log.warn(
      { migrations: unknown },
      'the database is newer than this release: it has migrations unknown here',
    )
  }
  const done = new Set(applied.map((row) => row.migration_name))
  return files.filter((file) => !done.has(file.name))
}

/** Applies a migration, again if it lost a lock to requests of this moment: the service runs during the upgrade. */
async function applyAmongOthers(client: Client, file: MigrationFile, log: MigrationLog): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(client, file)
    } catch (error) {
      const { message, cause } = error as Error & { cause?: { code?: string } }
      if (attempt === mostAttempts || !lockConflicts.has(cause?.code ?? '')) throw error
      log.warn({ migration: file.name, attempt, reason: message }, 'migration is tried again')
      await sleep(Math.random() * 1_000)
    }
  }
}

async function apply(client: Client, file: MigrationFile): Promise<void> {
  const id = randomUUID()
  try {
    await client.query('begin')
    // A statement that waits for a table also blocks all later ones. It is better to fail and run again.
    await client.query(`set local lock_timeout = '10s'`)
    await client.query(
      'insert into public._prisma_migrations (id, checksum, migration_name, started_at) values ($1, $2, $3, clock_timestamp())',
      [id, file.checksum, file.name],
    )
    await client.query(file.sql)
    await client.query(
      'update public._prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 where id = $1',
      [id],
    )
    await client.query('commit')
  } catch (error) {
    // Without a connection there is nothing to roll back.
    await client.query('rollback').catch(() => undefined)
    const { message: text = String(error), code } = error as { message?: string; code?: string }
    const reason = code === insufficientPrivilege ? `${text}; migrate as the role that owns the tables` : text
    throw new Error(`migration ${file.name} failed and was rolled back: ${reason}`, { cause: error })
  }
}
