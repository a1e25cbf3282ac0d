import type { Database } from '@gatehouse/prisma/database'
import type { AuditedSchema } from './audit.ts'
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
  /** Whether rows expire in the order of the key. Then no index on `ends` is needed, however many rows there are. */
  inOrder?: boolean
}

/**
 * The deletion of audit entries that are too old, as a part of a clean-up.
 * @param days OAUTH2_AUDIT_LOG_DAYS
 */
export function deletionOfAuditEntries(
  database: Pick<Database, 'pool'>,
  schema: AuditedSchema,
  days: number,
): Record<string, () => Promise<number>> {
  if (days === 0) return {}
  // Their ids follow the time.
  const table = {
    name: `${schema}.audit_log`,
    key: 'entry_id',
    ends: 'at',
    kept: `${days} days`,
    inOrder: true,
  }
  return { audit_log: () => deleteExpiredRows(database, table) }
}

/** How many rows one statement changes. */
const batch = 1_000

/**
 * Deletes expired rows. It deletes in batches, so that no statement holds its locks for long, and, unless they expire in the order of
 * the key, skips locked rows until the next time, so that it waits for nobody.
 * @returns the number of deleted rows
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function deleteExpiredRows(
  { pool }: Pick<Database, 'pool'>,
  { name, key, ends, kept = '0', inOrder = false }: ExpiringTable,
): Promise<number> {
  const isExpired = `${ends} <= now() - interval '${kept}'`
  const text = inOrder
    ? `delete from ${name} where (${key}) in (select ${key} from ${name} order by ${key} limit $1) and ${isExpired}`
    : `delete from ${name} where (${key}) in (
        select ${key} from ${name} where ${isExpired} order by ${ends} limit $1 for update skip locked
      )`
  return changeInBatches({ pool }, text)
}

/**
 * Runs a statement that changes some rows at a time, until fewer are left, so that none holds its locks for long.
 * @param text its last parameter is the most rows that it may change
 * @param values those of the other parameters
 * @returns the number of changed rows
 * @throws Refusal temporarily_unavailable when the database is away
 */
export async function changeInBatches(
  { pool }: Pick<Database, 'pool'>,
  text: string,
  ...values: readonly unknown[]
): Promise<number> {
  let changed = 0
  for (;;) {
    const { rowCount } = await translateDatabaseErrors(pool.query(text, [...values, batch]))
    changed += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return changed
  }
}
