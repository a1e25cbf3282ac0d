import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import { usageHistory, usageSteps } from '@gatehouse/proto/usage'
import type { UsageOfPeriod, UsageStore } from '../tokens/usage.ts'
import { isForgottenSql } from './forgotten-clients.ts'

// Rows are written in the order of their keys, so that no two replicas deadlock.
const addSql = `
  with minutes as (
    insert into token.usage_minutes as u (minute, grant_type, outcome, count)
    select date_trunc('minute', now()), grant_type, outcome, count
    from unnest($1::text[], $2::text[], $3::bigint[]) as counts (grant_type, outcome, count)
    order by grant_type, outcome
    on conflict (minute, grant_type, outcome) do update set count = u.count + excluded.count
  )
  insert into token.client_usage as u (client_id, day, issued, refused, last_used_at)
  select client_id, (now() at time zone 'UTC')::date, issued, refused, case when issued > 0 then now() end
  from unnest($4::text[], $5::bigint[], $6::bigint[], $7::float8[]) as counts (client_id, issued, refused, age)
  where not ${isForgottenSql('counts.client_id', 'counts.age')}
  order by client_id
  on conflict (client_id, day) do update set issued = u.issued + excluded.issued,
    refused = u.refused + excluded.refused, last_used_at = coalesce(excluded.last_used_at, u.last_used_at)`

const setActiveSql = `
  insert into token.active_token_counts (minute, count) values (date_trunc('minute', now()), $1)
  on conflict (minute) do update set count = excluded.count`

// $2: how far back, in hours. $3: the length of a period, in seconds.
const countSql = `
  with asked as (
    select make_interval(secs => $3) as step,
      date_bin(make_interval(secs => $3), greatest($1::timestamptz, now() - make_interval(hours => $2)), 'epoch') as first
  )
  select date_bin(step, minute, 'epoch') as time, outcome = 'issued' as issued,
    case when outcome = 'issued' then grant_type else outcome end as name, sum(count) as count
  from token.usage_minutes, asked where minute >= first group by 1, 2, 3
  union all
  (select distinct on (time) date_bin(step, minute, 'epoch') as time, null, '', count
  from token.active_token_counts, asked where minute >= first order by time, minute desc)
  order by time`

const clientSql = `
  select day::text as day, day > (now() at time zone 'UTC')::date - $2::int as shown, issued, refused, last_used_at
  from token.client_usage where client_id = $1 order by day desc`

const topSql = `
  select client_id as "clientId", sum(issued) as issued, sum(refused) as refused, max(last_used_at) as "lastUsedAt"
  from token.client_usage where day > (now() at time zone 'UTC')::date - $1::int
  group by client_id order by sum(issued) desc, sum(refused) desc, client_id limit $2`

type CountRow = { time: Date; issued: boolean | null; name: string; count: string }
type TopRow = { clientId: string; issued: string; refused: string; lastUsedAt: Date | null }
type DayRow = { day: string; shown: boolean; issued: string; refused: string; last_used_at: Date | null }

/** Usage in PostgreSQL. */
export function createUsageStore({ pool }: Pick<Database, 'pool'>): UsageStore {
  return {
    async add({ outcomes, clients }) {
      const values = [
        outcomes.map(({ grantType }) => grantType),
        outcomes.map(({ outcome }) => outcome),
        outcomes.map(({ count }) => count),
        clients.map(({ clientId }) => clientId),
        clients.map(({ issued }) => issued),
        clients.map(({ refused }) => refused),
        clients.map(({ age }) => age),
      ]
      await translateDatabaseErrors(pool.query({ name: 'add_usage', text: addSql, values }))
    },

    async setActiveTokens(count) {
      await translateDatabaseErrors(pool.query(setActiveSql, [count]))
    },

    async countSince(since, step) {
      const values = [since, usageHistory[step], usageSteps[step]]
      const { rows } = await translateDatabaseErrors(pool.query<CountRow>(countSql, values))
      return [...Map.groupBy(rows, ({ time }) => time.getTime())].map(([time, ofPeriod]) =>
        periodOf(new Date(time), ofPeriod),
      )
    },

    async ofClient(clientId, days) {
      const { rows } = await translateDatabaseErrors(pool.query<DayRow>(clientSql, [clientId, days]))
      return {
        days: rows
          .filter(({ shown }) => shown)
          .map(({ day, issued, refused }) => ({
            time: new Date(`${day}T00:00:00Z`),
            issued: BigInt(issued),
            refused: BigInt(refused),
          })),
        lastUsedAt: rows.find(({ last_used_at }) => last_used_at !== null)?.last_used_at ?? undefined,
      }
    },

    async topClients(days, limit) {
      const { rows } = await translateDatabaseErrors(pool.query<TopRow>(topSql, [days, limit]))
      return rows.map(({ clientId, issued, refused, lastUsedAt }) => ({
        clientId,
        issued: BigInt(issued),
        refused: BigInt(refused),
        lastUsedAt: lastUsedAt ?? undefined,
      }))
    },
  }
}

function periodOf(time: Date, rows: readonly CountRow[]): UsageOfPeriod {
  const counted = (kind: boolean) =>
    Object.fromEntries(
      rows.filter(({ issued }) => issued === kind).map(({ name, count }) => [name, BigInt(count)]),
    )
  const active = rows.find(({ issued }) => issued === null)
  return {
    time,
    issued: counted(true),
    refused: counted(false),
    activeTokens: active && BigInt(active.count),
  }
}
