import type { Database } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A table whose rows end one by one. */
export type ExpiringTable = {
  /** With its PostgreSQL schema. */
  name: string
  /** The columns of its key, as SQL has a list. */
  key: string
  /** The column that says when a row is over. */
  ends: string
  /** How long a row that is over is kept all the same, as PostgreSQL says intervals. */
  kept?: string
}

/** How many rows one statement deletes. */
const batch = 1_000

/**
 * Deletes the rows that are over. In batches, so that none holds its locks for long; rows in use are left to the next
 * time, so that nobody waits for it.
 * @returns how many they were
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function deleteExpiredRows(
  { pool }: Pick<Database, 'pool'>,
  { name, key, ends, kept = '0' }: ExpiringTable,
): Promise<number> {
  const text = `
    delete from ${name} where (${key}) in (
      select ${key} from ${name} where ${ends} <= now() - interval '${kept}'
      order by ${ends} limit $1 for update skip locked
    )`
  let deleted = 0
  for (;;) {
    const { rowCount } = await translateDatabaseErrors(pool.query(text, [batch]))
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return deleted
  }
}
