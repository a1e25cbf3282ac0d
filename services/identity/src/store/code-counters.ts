import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { CodeCounter } from '../logins/second-factor-limit.ts'

const keySql = `sha256(convert_to($1::text, 'UTF8'))`

// The window begins with the first code that is counted. Parallel codes wait for each other at the row.
const countSql = `
  insert into identity.login_failures as f (kind, key_digest, failures, window_ends)
  values ($2, ${keySql}, 1, now() + make_interval(secs => $4))
  on conflict (kind, key_digest) do update set
    failures = case when f.window_ends <= now() then 1 else f.failures + 1 end,
    window_ends = case when f.window_ends <= now() then excluded.window_ends else f.window_ends end
  where f.window_ends <= now() or f.failures < $3`

const waitSql = `
  select greatest(1, ceil(extract(epoch from window_ends - now())))::int as seconds
  from identity.login_failures where key_digest = ${keySql} and kind = $2`

const forgiveSql = `
  update identity.login_failures f set failures = case when l.clears then 0 else greatest(0, f.failures - 1) end
  from unnest($2::text[], $3::boolean[]) as l (kind, clears)
  where f.key_digest = ${keySql} and f.kind = l.kind`

/** The counts of codes in PostgreSQL. */
export function createCodeCounter({ pool }: Pick<Database, 'pool'>): CodeCounter {
  return {
    async count(userId, limits) {
      for (const { kind, most, windowSeconds } of limits) {
        const values = [userId, kind, most, windowSeconds]
        const { rowCount } = await translateDatabaseErrors(pool.query(countSql, values))
        if (rowCount === 1) continue
        const { rows } = await translateDatabaseErrors(
          pool.query<{ seconds: number }>(waitSql, [userId, kind]),
        )
        return { retryAfter: rows[0]?.seconds ?? 1 }
      }
      return 'counted'
    },

    async forgive(userId, limits) {
      const values = [userId, limits.map(({ kind }) => kind), limits.map(({ clears }) => clears)]
      await translateDatabaseErrors(pool.query(forgiveSql, values))
    },
  }
}
