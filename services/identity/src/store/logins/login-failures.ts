import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { LoginFailureStore } from '../../logins/login-throttle.ts'
import { nameAndNetworkKey, nameKey, networkKey } from './login-counter-keys.ts'

/** The rows that an attempt is counted in. */
type CountedAttempt = { kinds: string[]; digests: Buffer[] }

/** One counter. `counted` is false when this counter or one before it is full. */
type CountedRow = { kind: string; key_digest: Buffer; counted: boolean }

/** The longest that an attempt can be under way, in seconds. After that its process must have died. */
const longestAttempt = 10

const failures = 'case when f.window_ends <= now() then 0 else f.failures end'
const underWay = 'case when f.under_way_until <= now() then 0 else f.under_way end'

/**
 * Counts an attempt in one kind of row. Every statement locks an attempt's rows in the same order (user_ip, ip, user), so
 * that no two deadlock. A row without failures expires when no attempt is under way any more.
 */
const countInto = (kind: 'user_ip' | 'ip' | 'user', limit: string, from: string) => `
  insert into identity.login_failures as f (kind, key_digest, failures, window_ends, under_way, under_way_until)
  select '${kind}', keys."${kind}", 0, now() + make_interval(secs => $6), 1, now() + make_interval(secs => $6)
  from ${from}
  on conflict (kind, key_digest) do update set
    failures = ${failures},
    window_ends = case when ${failures} = 0 then excluded.window_ends else f.window_ends end,
    under_way = ${underWay} + 1,
    under_way_until = excluded.under_way_until
  where ${failures} + ${underWay} < ${limit}
  returning f.kind`

// Each counter counts only when the one before let the attempt through, so a flood of refused attempts does not fill the
// later counters.
const countSql = `
  with keys as materialized (
    select ${nameAndNetworkKey('$1::text', '$2::text')} as user_ip, ${networkKey('$2::text')} as ip, ${nameKey('$1::text')} as "user"
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
  select wanted.kind, wanted.key_digest, counted.kind is not null as counted
  from wanted left join counted using (kind) order by place`

/** Settles an attempt: it is no longer under way. @param change further changes to its rows */
const settleSql = (change: string) => `
  with locked as materialized (
    select f.kind, f.key_digest
    from unnest($1::text[], $2::bytea[]) with ordinality as counted (kind, key_digest, place)
    join identity.login_failures f using (kind, key_digest)
    order by place for update of f
  )
  update identity.login_failures f set under_way = greatest(0, f.under_way - 1)${change} from locked
  where f.kind = locked.kind and f.key_digest = locked.key_digest`

/** The ways in which an attempt ends, by the names of their prepared statements. */
const settling = {
  take_back_login_attempt: settleSql(''),
  // A window begins with its first failure.
  fail_login_attempt: settleSql(`,
  failures = ${failures} + 1,
  window_ends = case when ${failures} = 0 then now() + make_interval(secs => $3) else f.window_ends end`),
  forgive_login_attempt: settleSql(`,
  failures = case when f.kind = 'user_ip' then 0 else f.failures end`),
}

const stateSql = `
  select ${failures} as failures, greatest(1, ceil(extract(epoch from window_ends - now())))::int as seconds
  from identity.login_failures f where kind = $1 and key_digest = $2`

/** PostgreSQL's largest integer; no counter reaches it. */
const noLimit = 2_147_483_647

/** The failed logins in PostgreSQL. */
export function createLoginFailureStore({ pool }: Pick<Database, 'pool'>): LoginFailureStore<CountedAttempt> {
  const settle = async (
    how: keyof typeof settling,
    { kinds, digests }: CountedAttempt,
    ...more: number[]
  ) => {
    const values = [kinds, digests, ...more]
    await translateDatabaseErrors(pool.query({ name: how, text: settling[how], values }))
  }

  return {
    async count({ username, network }, limits) {
      const most = [limits.userAndNetwork, limits.network, limits.user].map((limit) =>
        Math.min(limit, noLimit),
      )
      const { rows } = await translateDatabaseErrors(
        pool.query<CountedRow>({
          name: 'count_login_attempt',
          text: countSql,
          values: [username, network, ...most, longestAttempt],
        }),
      )
      const counted = rows.filter((row) => row.counted)
      const attempt = {
        kinds: counted.map((row) => row.kind),
        digests: counted.map((row) => row.key_digest),
      }
      const full = rows.findIndex((row) => !row.counted)
      if (full === -1) return { attempt }
      if (counted.length > 0) await settle('take_back_login_attempt', attempt)
      const { kind, key_digest: digest } = rows[full] as CountedRow
      const { rows: states } = await translateDatabaseErrors(
        pool.query<{ failures: number; seconds: number }>(stateSql, [kind, digest]),
      )
      const state = states[0]
      const failed = state !== undefined && state.failures >= (most[full] ?? noLimit)
      return failed ? { retryAfter: state.seconds } : 'busy'
    },

    fail: (attempt, windowSeconds) => settle('fail_login_attempt', attempt, windowSeconds),
    takeBack: (attempt) => settle('take_back_login_attempt', attempt),
    forgive: (attempt) => settle('forgive_login_attempt', attempt),
  }
}

/**
 * Forgets the failed logins with a user name from anywhere. Those from single addresses end by themselves, within 15 minutes.
 */
export async function forgetFailures({ pool }: Pick<Database, 'pool'>, username: string): Promise<void> {
  const sql = `delete from identity.login_failures
    where kind = 'user' and key_digest = ${nameKey('$1::text')}`
  await translateDatabaseErrors(pool.query(sql, [username]))
}
