import type { Database } from '@gatehouse/prisma/database'
import { translateDatabaseErrors } from './translate-database-errors.ts'

/** The most rows that are counted exactly, which takes some ten milliseconds. */
const mostCounted = 100_000

/**
 * Counts the rows of a table: exactly up to 100,000, and by PostgreSQL's statistics beyond that, because counting ten million
 * rows takes a second.
 * @param table with its schema, such as "identity.users"
 */
export async function countRows({ pool }: Pick<Database, 'pool'>, table: string): Promise<number> {
  const { rows } = await translateDatabaseErrors(
    pool.query<{ rows: number }>(
      `select (case when counted <= $1::bigint then counted else greatest(counted, estimated) end)::float8 as rows
      from (select count(*) as counted from (select from ${table} limit $1::bigint + 1) as part) as exact,
        (select reltuples::bigint as estimated from pg_class where oid = $2::regclass) as statistics`,
      [mostCounted, table],
    ),
  )
  return rows[0]?.rows ?? 0
}
