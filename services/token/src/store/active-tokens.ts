import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'

const activeSql = 'from token.access_tokens where expires_at > now() and revoked_at is null'
const exactUpTo = 1_000_000

/** The output of `explain (format json)`. */
type Explained = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }

/**
 * Counts the access tokens that have not expired and were not revoked one by one. Counting ten million rows takes a second,
 * and a dashboard does not need an exact number: beyond a million it is the planner's estimate, which autovacuum keeps close,
 * rounded to tens of thousands.
 */
export async function countActiveTokens({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const explained = await translateDatabaseErrors(
    pool.query<Explained>(`explain (format json) select ${activeSql}`),
  )
  const estimate = explained.rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0
  if (estimate > exactUpTo) return Math.round(estimate / 10_000) * 10_000
  const counted = await translateDatabaseErrors(
    pool.query<{ count: string }>(`select count(*) as count ${activeSql}`),
  )
  return Number(counted.rows[0]?.count)
}
