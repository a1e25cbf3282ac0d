import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'

// Counting ten million rows takes a second, and a dashboard does not need the last digit of such a number: beyond a
// million the planner's own estimate, which autovacuum keeps, is told instead.
const estimateSql = `
  select coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint as estimate
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'token.access_tokens'::regclass`
const countSql = `
  select count(*) as count from token.access_tokens where expires_at > now() and revoked_at is null`
const exactUpTo = 1_000_000

/** How many access tokens are neither over nor revoked one by one, in tens of thousands beyond a million. */
export async function countActiveTokens({ pool }: Pick<Database, 'pool'>): Promise<number> {
  const { rows } = await answered(pool.query<{ estimate: string }>(estimateSql))
  const estimate = Number(rows[0]?.estimate)
  if (estimate > exactUpTo) return Math.round(estimate / 10_000) * 10_000
  const counted = await answered(pool.query<{ count: string }>(countSql))
  return Number(counted.rows[0]?.count)
}
