import type { Client } from 'pg'
import type { MigrationFile } from './migration-files.ts'

/** The last migration of each release, oldest first. `npm run release -- prepare` adds its release. */
export const lastMigrations: readonly (readonly [release: string, migration: string])[] = [
  ['0.4.0', '20261124040000_passkey_user_verification'],
  ['0.5.0', '20261125000000_admin_roles'],
  ['0.6.0', '20261128000000_deleted_clients'],
  ['0.7.0', '20261129130000_forgotten_clients'],
]

/**
 * Refuses a database that skips a release: only the upgrade from the release before is tried and free of downtime. A database without
 * clients and users has nothing to lose, as when its first migration was interrupted.
 * @param files the migrations of this release
 * @param applied the names of those that the database has
 * @throws Error in one line that names the release to upgrade to first
 */
export async function requireReleaseBefore(
  client: Client,
  files: readonly MigrationFile[],
  applied: ReadonlySet<string>,
): Promise<void> {
  const newest = files.at(-1)?.name ?? ''
  const before = lastMigrations.findLast(([, migration]) => migration < newest)
  if (before === undefined || applied.size === 0 || applied.has(before[1])) return
  if (!files.some(({ name }) => name === before[1]) || !(await isUsed(client))) return
  const [at] = lastMigrations.findLast(([, migration]) => applied.has(migration)) ?? ['an older release']
  throw new Error(
    `the database is at ${at}, and this release upgrades from ${before[0]}: upgrade to ${before[0]} first`,
  )
}

async function isUsed(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ table: string }>(
    `select format('%I.%I', schemaname, tablename) as table from pg_tables
    where (schemaname, tablename) in (('clients', 'clients'), ('identity', 'users'))`,
  )
  for (const { table } of rows) {
    if ((await client.query(`select from ${table} limit 1`)).rowCount === 1) return true
  }
  return false
}
