import { hash } from 'node:crypto'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Outbox } from '../outbox.ts'

/** Inserts in the order of the keys, so that two replicas cannot deadlock. */
const addSql = `
  with submitted as (
    select * from unnest($1::bytea[], $2::uuid[], $3::text[]) with ordinality
      as t (identity_digest, event_id, envelope, position)
  ), taken as (
    insert into events.taken_events (identity_digest, event_id)
    select identity_digest, event_id from submitted order by identity_digest
    on conflict (identity_digest) do update set event_id = excluded.event_id, expires_at = default
      where taken_events.expires_at <= now()
    returning identity_digest
  ), stored as (
    insert into events.outbox (backend, envelope)
    select backend, envelope from submitted join taken using (identity_digest) cross join unnest($4::text[]) backend
    order by position
  )
  select identity_digest from taken`

const firstSql = `
  select identity_digest, event_id from events.taken_events where identity_digest = any($1::bytea[])`

// Ordered by outbox.position, the number: a plain `position` would be the text in the result.
const nextSql = `
  select position::text, envelope as json from events.outbox where backend = $1
  and (not_before is null or not_before <= now()) order by outbox.position limit $2`

// A backend that was away for days has many events, of which not all need to be counted.
const backlogsSql = `
  select (select count(*) from (select from events.outbox where backend = name limit 100000) as counted)::int as waiting,
    (select created_at from events.outbox where backend = name order by outbox.position limit 1) as since
  from unnest($1::text[]) with ordinality as backends (name, place) order by place`

/** The outbox in PostgreSQL. */
export function createOutbox({ pool }: Pick<Database, 'pool'>): Outbox {
  return {
    async add(events, backends) {
      const digests = events.map(({ identity }) => hash('sha256', identity, 'buffer'))
      const ids = events.map(({ envelope }) => envelope.event.id)
      const { rows: taken } = await translateDatabaseErrors(
        pool.query<{ identity_digest: Buffer }>({
          name: 'add_events',
          text: addSql,
          values: [digests, ids, events.map(({ json }) => json), backends],
        }),
      )
      const stored = new Set(taken.map(({ identity_digest: digest }) => digest.toString('hex')))
      const known = digests.filter((digest) => !stored.has(digest.toString('hex')))
      // A separate statement, because the first one does not see rows that another replica has added meanwhile.
      const { rows: first } =
        known.length === 0
          ? { rows: [] }
          : await translateDatabaseErrors(
              pool.query<{ identity_digest: Buffer; event_id: string }>({
                name: 'find_taken_events',
                text: firstSql,
                values: [known],
              }),
            )
      const firstIds = new Map(first.map((row) => [row.identity_digest.toString('hex'), row.event_id]))
      return digests.map((digest, index) => ({
        stored: stored.has(digest.toString('hex')),
        eventId: firstIds.get(digest.toString('hex')) ?? ids[index] ?? '',
      }))
    },

    async next(backend, limit) {
      const { rows } = await pool.query<{ position: string; json: string }>({
        name: 'next_events',
        text: nextSql,
        values: [backend, limit],
      })
      return rows
    },

    async remove(positions) {
      await pool.query({
        name: 'remove_events',
        text: 'delete from events.outbox where position = any($1::bigint[])',
        values: [positions],
      })
    },

    async postpone(events) {
      const text = `
        update events.outbox o set not_before = now() + make_interval(secs => t.ms / 1000.0)
        from unnest($1::bigint[], $2::float8[]) as t (position, ms) where o.position = t.position`
      await pool.query(text, [events.map(({ position }) => position), events.map(({ forMs }) => forMs)])
    },

    async addLater(backend, events) {
      const text = `
        insert into events.outbox (backend, envelope, not_before)
        select $1, envelope, now() + make_interval(secs => ms / 1000.0)
        from unnest($2::text[], $3::float8[]) as t (envelope, ms)`
      await pool.query(text, [backend, events.map(({ json }) => json), events.map(({ forMs }) => forMs)])
    },

    async backlogs(backends) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ waiting: number; since: Date | null }>(backlogsSql, [backends]),
      )
      return rows.map(({ waiting, since }) => ({ waiting, since: since ?? undefined }))
    },
  }
}
