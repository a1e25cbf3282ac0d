import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { InstanceSample, TrafficStore } from '../traffic.ts'

// PostgreSQL's bigint comes as text, lest a number be too large; counts of a few seconds are not.
type SampleRow = Omit<InstanceSample, Counts | 'durations' | 'activeTokens'> &
  Record<Counts, string> & { durations: string[]; activeTokens: string | null }
type Counts = 'requests' | 'failures' | 'refusals' | 'rateLimited'

// A gateway whose clock is ahead must not make all others look late.
const addSql = `
  insert into identity.traffic_samples
    (at, instance, seconds, requests, failures, refusals, rate_limited, issued, durations, active_tokens)
  values (least($1, now()), $2, $3, $4, $5, $6, $7, $8::jsonb, $9::bigint[], $10)
  on conflict do nothing`

const sinceSql = `
  select at, instance, seconds, requests, failures, refusals, rate_limited as "rateLimited", issued, durations,
    active_tokens as "activeTokens"
  from identity.traffic_samples where at > $1`

/** The samples in PostgreSQL. */
export function createTrafficStore({ pool }: Pick<Database, 'pool'>): TrafficStore {
  return {
    async add(sample) {
      await translateDatabaseErrors(
        pool.query(addSql, [
          sample.at,
          sample.instance,
          sample.seconds,
          sample.requests,
          sample.failures,
          sample.refusals,
          sample.rateLimited,
          JSON.stringify(sample.issued),
          sample.durations,
          sample.activeTokens ?? null,
        ]),
      )
    },

    async since(moment) {
      const { rows } = await translateDatabaseErrors(pool.query<SampleRow>(sinceSql, [moment]))
      return rows.map((row) => ({
        ...row,
        requests: Number(row.requests),
        failures: Number(row.failures),
        refusals: Number(row.refusals),
        rateLimited: Number(row.rateLimited),
        durations: row.durations.map(Number),
        activeTokens: row.activeTokens === null ? undefined : Number(row.activeTokens),
      }))
    },
  }
}
