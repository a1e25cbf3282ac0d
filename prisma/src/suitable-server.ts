import { ConfigurationError } from '@gatehouse/kit/config/configuration-error'
import type { ClientBase } from 'pg'
import { showDatabaseUrl } from './database-url.ts'

/** The oldest major version of PostgreSQL on which Gatehouse works. */
export const oldestVersion = 15

/** How often two connections are compared: between two statements, another client of the pooler may take the connection. */
const comparisons = 3

/**
 * Refuses a server on which Gatehouse would not work: one that is too old, or a pooler that does not keep a connection for its client
 * until the client leaves (PgBouncer: transaction and statement mode).
 * @param first a connection as the product opens it, outside of a transaction
 * @param second another one
 * @param databaseUrl named in the error, without user and password
 * @param variable the variable that has it
 * @throws ConfigurationError in one line when the server is not suitable; else what node-postgres throws
 */
export async function requireSuitableServer(
  first: ClientBase,
  second: ClientBase,
  databaseUrl: string,
  variable: 'OAUTH2_DATABASE_URL' | 'OAUTH2_DATABASE_DIRECT_URL' = 'OAUTH2_DATABASE_URL',
): Promise<void> {
  await requireVersion(first, databaseUrl)
  if (await keepsConnections(first, second)) return
  const remedy =
    variable === 'OAUTH2_DATABASE_URL'
      ? 'set the pooler to session mode (PgBouncer: pool_mode = session), name PostgreSQL itself in OAUTH2_DATABASE_URL, or set OAUTH2_DATABASE_POOLER=transaction'
      : `name PostgreSQL itself in ${variable}`
  throw new ConfigurationError(
    `the database ${showDatabaseUrl(databaseUrl)} is behind a pooler in transaction or statement mode, which loses locks and settings: ${remedy}`,
  )
}

/**
 * Refuses a server that is too old.
 * @throws ConfigurationError in one line
 */
export async function requireVersion(client: ClientBase, databaseUrl: string): Promise<void> {
  const { rows } = await client.query<{ name: string; number: number }>(
    `select current_setting('server_version') as name, current_setting('server_version_num')::int as number`,
  )
  for (const { name, number } of rows) {
    if (number >= oldestVersion * 10_000) continue
    throw new ConfigurationError(
      `the database ${showDatabaseUrl(databaseUrl)} is PostgreSQL ${name}, which is too old: Gatehouse needs PostgreSQL ${oldestVersion} or newer`,
    )
  }
}

/**
 * Whether each of two open connections has a process of PostgreSQL of its own. A pooler that does not keep connections gives the one that
 * the first has just used to the second, or the first another one for its next transaction. With PostgreSQL itself and
 * with a pooler in session mode neither can happen, so this never errs about them.
 */
async function keepsConnections(first: ClientBase, second: ClientBase): Promise<boolean> {
  const seen = new Set<number>()
  for (let comparison = 0; comparison < comparisons; comparison++) {
    // Twice, because a pooler may give its connections in turn.
    seen.add(await processOf(first))
    seen.add(await processOf(first))
    if (seen.size > 1) return false
    try {
      await second.query('begin')
      // Held by its transaction, so that it is compared with what the first had, whatever others do now.
      if (seen.has(await processOf(second))) return false
      await second.query('rollback')
    } catch (error) {
      if (/statement pooling/i.test((error as Error).message)) return false
      throw error
    }
  }
  return true
}

async function processOf(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid ?? 0
}
