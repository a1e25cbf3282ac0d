import type { Database } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** A table whose rows expire one by one. */
export type ExpiringTable = {
  /** With its PostgreSQL schema. */
  name: string
  /** The columns of its key, separated by commas. */
  key: string
  /** The column with the time at which a row expires. */
  ends: string
  /** How long a row is kept after that, as a PostgreSQL interval. */
  kept?: string
}

/** How many rows one statement deletes. */
const batch = 1_000

/**
 * Deletes expired rows. It deletes in batches, so that no statement holds its locks for long, and skips locked rows until the
 * next time, so that it waits for nobody.
 * @returns the number of deleted rows
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
