import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'
import type { LoginFailureStore } from '../login-throttle.ts'

/** The rows that an attempt is counted in, with the end of each one's window to tell it from a later one. */
type CountedAttempt = { kinds: string[]; digests: Buffer[]; windowEnds: string[] }

/** One counter; null: it is full, or one before it is. */
type CountedRow = { kind: string; key_digest: Buffer; window_ends: string | null }

/**
 * Counts into one kind of row. Every statement locks the rows of an attempt in the same order, user_ip, ip, user, so
 * that no two wait for each other.
 */
const countInto = (kind: 'user_ip' | 'ip' | 'user', limit: string, from: string) => `
  insert into identity.login_failures as f (kind, key_digest, failures, window_ends)
  select '${kind}', keys."${kind}", 1, now() + make_interval(secs => $6) from ${from}
  on conflict (kind, key_digest) do update set
    failures = case when f.window_ends <= now() then 1 else f.failures + 1 end,
    window_ends = case when f.window_ends <= now() or f.failures = 0 then excluded.window_ends else f.window_ends end
  where f.failures < ${limit} or f.window_ends <= now()
  returning f.kind, f.key_digest, f.window_ends::text as window_ends`

// Each counter is tried only when the one before let the attempt through, so a flood of refused attempts does not fill
// the counters behind. A row without failures is that of attempts which were taken back: it begins no window. The keys are made here because lower() must be the one that finds the user.
const countSql = `
  with keys as materialized (
    select sha256(convert_to(lower($1::text) || E'\\n' || $2::text, 'UTF8')) as user_ip,
      sha256(convert_to($2::text, 'UTF8')) as ip,
      sha256(convert_to(lower($1::text), 'UTF8')) as "user"
  ),
  counted_user_ip as (${countInto('user_ip', '$3', 'keys')}),
  counted_ip as (${countInto('ip', '$4', 'keys, counted_user_ip')}),
  counted_user as (${countInto('user', '$5', 'keys, counted_ip')}),
  wanted as (
    select 1 as place, 'user_ip' as kind, user_ip as key_digest from keys
    union all select 2, 'ip', ip from keys
    union all select 3, 'user', "user" from keys
  ),
  counted as (
    select * from counted_user_ip union all select * from counted_ip union all select * from counted_user
  )
  select wanted.kind, wanted.key_digest, counted.window_ends
  from wanted left join counted using (kind) order by place`

// A row whose window is another by now was counted anew and stays.
const lockSql = `
  locked as materialized (
    select f.kind, f.key_digest
    from unnest($1::text[], $2::bytea[], $3::timestamptz[]) with ordinality
      as counted (kind, key_digest, window_ends, place)
    join identity.login_failures f using (kind, key_digest, window_ends)
    order by place for update of f
  )`

const lessSql = (which: string) => `
  update identity.login_failures f set failures = f.failures - 1 from locked
  where f.kind = locked.kind and f.key_digest = locked.key_digest and f.failures > 0 ${which}`

const takeBackSql = `with ${lockSql} ${lessSql('')}`

const forgiveSql = `
  with ${lockSql},
  forgotten as (
    delete from identity.login_failures f using locked
    where locked.kind = 'user_ip' and f.kind = locked.kind and f.key_digest = locked.key_digest
  )
  ${lessSql(`and locked.kind <> 'user_ip'`)}`

const secondsLeftSql = `
  select greatest(1, ceil(extract(epoch from window_ends - now())))::int as seconds
  from identity.login_failures where kind = $1 and key_digest = $2`

/** No counter gets so far. */
const noLimit = 2_147_483_647

/** The failed logins in PostgreSQL. */
export function createLoginFailureStore({ pool }: Pick<Database, 'pool'>): LoginFailureStore<CountedAttempt> {
  const changeCounted = async (text: string, { kinds, digests, windowEnds }: CountedAttempt) => {
    await answered(pool.query(text, [kinds, digests, windowEnds]))
  }
  const takeBack = (attempt: CountedAttempt) => changeCounted(takeBackSql, attempt)

  return {
    async count({ username, network }, limits, windowSeconds) {
      const most = [limits.userAndNetwork, limits.network, limits.user].map((limit) =>
        Math.min(limit, noLimit),
      )
      const { rows } = await answered(
        pool.query<CountedRow>(countSql, [username, network, ...most, windowSeconds]),
      )
      const counted = rows.filter((row) => row.window_ends !== null)
      const attempt = {
        kinds: counted.map((row) => row.kind),
        digests: counted.map((row) => row.key_digest),
        windowEnds: counted.map((row) => row.window_ends ?? ''),
      }
      const full = rows.find((row) => row.window_ends === null)
      if (full === undefined) return { attempt }
      if (counted.length > 0) await takeBack(attempt)
      const left = await answered(
        pool.query<{ seconds: number }>(secondsLeftSql, [full.kind, full.key_digest]),
      )
      return { retryAfter: left.rows[0]?.seconds ?? 1 }
    },

    takeBack,
    forgive: (attempt) => changeCounted(forgiveSql, attempt),
  }
}
