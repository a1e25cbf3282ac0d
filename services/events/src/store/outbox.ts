import { hash } from 'node:crypto'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Outbox, StoredEvent } from '../outbox.ts'
import type { TakenEvent } from '../submission.ts'

/** How many of the newest events, and of those whose time has come again, are read at once. */
const mostNewest = 50
const mostPostponed = 8

/** Inserts in the order of the keys, so that two replicas cannot deadlock. */
const addSql = `
  with submitted as (
    select * from unnest($1::bytea[], $2::uuid[], $3::text[], $5::bigint[], $6::bigint[]) with ordinality
      as t (identity_digest, event_id, envelope, client_key, user_key, position)
  ), taken as (
    insert into events.taken_events (identity_digest, event_id)
    select identity_digest, event_id from submitted order by identity_digest
    on conflict (identity_digest) do update set event_id = excluded.event_id, expires_at = default
      where taken_events.expires_at <= now()
    returning identity_digest
  ), stored as (
    insert into events.outbox (backend, envelope, client_key, user_key)
    select backend, envelope, client_key, user_key from submitted join taken using (identity_digest) cross join unnest($4::text[]) backend
    order by position
  )
  select identity_digest from taken`

const firstSql = `
  select identity_digest, event_id from events.taken_events where identity_digest = any($1::bytea[])`

// Ordered by outbox.position, the number: a plain `position` would be the text in the result. Those that were postponed have no order
// any more. Only a few of them come at once: they are likely to fail again, and there may be many.
const nextSql = `
  (select position::text, envelope as json, false as "wasSetAside" from events.outbox
  where backend = $1 and not_before is null order by outbox.position limit $2)
  union all
  (select position::text, envelope, true from events.outbox
  where backend = $1 and not_before <= now() order by not_before limit ${mostPostponed})`

const fresh = 'events.outbox where backend = $1 and not_before is null'

// An event without keys, which an older release stored, may be of any client: none behind it is taken. A key of 0 is that of no client
// or user. The first one of a key is asked for by `min`, which reads one row of an index, however many there are.
const elsewhereSql = `
  with newest as (
    select * from ${fresh} and position > $2::bigint order by position desc limit ${mostNewest}
  ), bounds as (
    select $2::bigint as least, min(position) - $2::bigint as size from newest
  ), anywhere as (
    select found.* from bounds cross join unnest($3::float8[]) as place cross join lateral (
      select * from ${fresh} and position > least + (place * size)::bigint order by position limit 1
    ) as found
  )
  select position::text, envelope as json, false as "wasSetAside"
  from (select * from newest union select * from anywhere) as picked
  where picked.client_key is not null
  and coalesce((select min(position) from ${fresh} and client_key is null) > picked.position, true)
  and (picked.client_key = 0 or picked.position = (select min(position) from ${fresh} and client_key = picked.client_key))
  and (picked.user_key = 0 or picked.position = (select min(position) from ${fresh} and user_key = picked.user_key))
  order by picked.position`

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
          values: [digests, ids, events.map(({ json }) => json), backends, ...keysOf(events)],
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
      const { rows } = await pool.query<StoredEvent>({
        name: 'next_events',
        text: nextSql,
        values: [backend, limit],
      })
      return rows
    },

    async fromElsewhere(backend, after, places) {
      const { rows } = await pool.query<StoredEvent>({
        name: 'events_from_elsewhere',
        text: elsewhereSql,
        values: [backend, after, places],
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

/** The keys of the clients and of the users that events are about. Of two events that share one, the later one must wait. */
function keysOf(events: readonly TakenEvent[]): [clients: bigint[], users: bigint[]] {
  const abouts = events.map(({ envelope: { event } }) => event)
  const neither = 1n
  return [
    abouts.map(({ client_id: client, user_id: user }) => (client || user ? keyOf(client) : neither)),
    abouts.map(({ user_id: user }) => keyOf(user)),
  ]
}

/** A number for an id, which may be long; 0 for none. */
function keyOf(id: string | undefined): bigint {
  return id ? hash('sha256', id, 'buffer').readBigInt64BE() : 0n
}
