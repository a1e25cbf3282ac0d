import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { UsageOfMinute, UsageStore } from '../usage.ts'

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
  from unnest($4::text[], $5::bigint[], $6::bigint[]) as counts (client_id, issued, refused)
  order by client_id
  on conflict (client_id, day) do update set issued = u.issued + excluded.issued,
    refused = u.refused + excluded.refused, last_used_at = coalesce(excluded.last_used_at, u.last_used_at)`

const setActiveSql = `
  insert into token.active_token_counts (minute, count) values (date_trunc('minute', now()), $1)
  on conflict (minute) do update set count = excluded.count`

const minutesSql = `
  with since as (select greatest($1::timestamptz, now() - interval '24 hours') as moment)
  select minute, outcome = 'issued' as issued, case when outcome = 'issued' then grant_type else outcome end as name,
    sum(count) as count
  from token.usage_minutes, since where minute >= since.moment group by 1, 2, 3
  union all
  select minute, null, '', count from token.active_token_counts, since where minute >= since.moment
  order by minute`

const clientSql = `
  select day::text as day, day > (now() at time zone 'UTC')::date - $2::int as shown, issued, refused, last_used_at
  from token.client_usage where client_id = $1 order by day desc`

type MinuteRow = { minute: Date; issued: boolean | null; name: string; count: string }
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
      ]
      await translateDatabaseErrors(pool.query({ name: 'add_usage', text: addSql, values }))
    },

    async setActiveTokens(count) {
      await translateDatabaseErrors(pool.query(setActiveSql, [count]))
    },

    async minutesSince(since) {
      const { rows } = await translateDatabaseErrors(pool.query<MinuteRow>(minutesSql, [since]))
      return [...Map.groupBy(rows, ({ minute }) => minute.getTime())].map(([time, ofMinute]) =>
        minuteOf(new Date(time), ofMinute),
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
  }
}

function minuteOf(time: Date, rows: readonly MinuteRow[]): UsageOfMinute {
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
