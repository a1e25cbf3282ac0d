import { hash } from 'node:crypto'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { Outbox, StoredEvent } from '../outbox/outbox.ts'
import { type Parties, partiesOf } from '../outbox/parties.ts'
import type { TakenEvent } from '../outbox/submission.ts'
import { fillKeys } from './released-outbox-keys.ts'

/** How many of the newest events, and of those whose time has come again, are read at once. */
const mostNewest = 50
const mostPostponed = 8
/** About how many bytes of events are read at once. There may be as many deliveries as there are backends. */
const mostBytes = 4 * 1_024 * 1_024

// Inserts in the order of the keys, so that two replicas cannot deadlock. The envelopes are one text of JSON: to write an array of
// PostgreSQL, node-postgres takes 50 bytes of memory for each quotation mark in it, and an event may have nothing else.
const addSql = `
  with submitted as (
    select * from rows from (
        unnest($1::bytea[], $2::uuid[], $5::bigint[], $6::bigint[]), json_array_elements_text($3)
      ) with ordinality as t (identity_digest, event_id, client_key, user_key, envelope, position)
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

const fresh = 'events.outbox where backend = $1 and not_before is null'

// Ordered by the column position, the number: a plain `position` would be the text in the result. Those that were postponed have no order
// any more. Only a few of them come at once: they are likely to fail again, and there may be many.
const nextSql = `
  (select position::text, envelope as json, false as "wasSetAside", client_key::text, user_key::text
  from (select *, sum(octet_length(envelope)) over (order by position) as bytes from
    (select * from ${fresh} order by position limit $2) as first) as summed
  where bytes - octet_length(envelope) < ${mostBytes} order by summed.position)
  union all
  (select position::text, envelope, true, null, null from events.outbox
  where backend = $1 and not_before <= now() order by not_before limit ${mostPostponed})`

// An event without keys, which an older release stored, may be of any client: none behind it is taken. A key of 0 is that of no client
// or user. The first one of a key is asked for by `min`, which reads one row of an index, however many there are.
const elsewhereSql = `
  with newest as (
    select position from ${fresh} and position > $2::bigint order by position desc limit ${mostNewest}
  ), bounds as (
    select $2::bigint as least, min(position) - $2::bigint as size from newest
  ), anywhere as (
    select found.position from bounds cross join unnest($3::float8[]) as place cross join lateral (
      select position from ${fresh} and position > least + (place * size)::bigint order by position limit 1
    ) as found
  ), free as (
  select *, sum(octet_length(envelope)) over (order by octet_length(envelope), position) as bytes from events.outbox as picked
  where position in (select position from newest union select position from anywhere)
  and picked.client_key is not null
  and coalesce((select min(position) from ${fresh} and client_key is null) > picked.position, true)
  and (picked.client_key = 0 or picked.client_key = any($4::bigint[]) or picked.position = (select min(position) from ${fresh} and client_key = picked.client_key))
  and (picked.user_key = 0 or picked.user_key = any($5::bigint[]) or picked.position = (select min(position) from ${fresh} and user_key = picked.user_key))
  )
  select position::text, envelope as json, false as "wasSetAside", client_key::text, user_key::text from free
  where bytes - octet_length(envelope) < ${mostBytes} order by free.position`

// A backend that was away for days has many events, of which not all need to be counted.
const backlogsSql = `
  select (select count(*) from (select from events.outbox where backend = name limit 100000) as counted)::int as waiting,
    (select created_at from events.outbox where backend = name order by outbox.position limit 1) as since
  from unnest($1::text[]) with ordinality as backends (name, place) order by place`

/** Adds an event to the outbox in the transaction of what it tells of. */
export async function addInTransaction(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  { json, parties }: Pick<TakenEvent, 'json' | 'parties'>,
  backends: readonly string[],
): Promise<void> {
  const { client, user } = keysOf(parties)
  await transaction.$executeRawUnsafe(
    `insert into events.outbox (backend, envelope, client_key, user_key)
    select backend, $2, $3, $4 from unnest($1::text[]) as backend`,
    ...[backends, json, client, user],
  )
}

/** The outbox in PostgreSQL. */
export function createOutbox({ pool }: Pick<Database, 'pool'>): Outbox {
  return {
    async add(events, backends) {
      const digests = events.map(({ identity }) => hash('sha256', identity, 'buffer'))
      const ids = events.map(({ eventId }) => eventId)
      const keys = events.map(({ parties }) => keysOf(parties))
      const [clients, users] = [keys.map(({ client }) => client), keys.map(({ user }) => user)]
      const { rows: taken } = await translateDatabaseErrors(
        pool.query<{ identity_digest: Buffer }>({
          name: 'add_events',
          text: addSql,
          values: [digests, ids, JSON.stringify(events.map(({ json }) => json)), backends, clients, users],
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
      const { rows } = await pool.query<StoredRow>({
        name: 'next_events',
        text: nextSql,
        values: [backend, limit],
      })
      return rows.map(storedOf)
    },

    async fromElsewhere(backend, after, places, unordered) {
      await fillKeys(pool, backend, keysOf)
      const { rows } = await pool.query<StoredRow>({
        name: 'events_from_elsewhere',
        text: elsewhereSql,
        values: [backend, after, places, keysIn(unordered, 'client'), keysIn(unordered, 'user')],
      })
      return rows.map(storedOf)
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
        from rows from (json_array_elements_text($2), unnest($3::float8[])) as t (envelope, ms)`
      const envelopes = JSON.stringify(events.map(({ json }) => json))
      await pool.query(text, [backend, envelopes, events.map(({ forMs }) => forMs)])
    },

    async backlogs(backends) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ waiting: number; since: Date | null }>(backlogsSql, [backends]),
      )
      return rows.map(({ waiting, since }) => ({ waiting, since: since ?? undefined }))
    },
  }
}

type StoredRow = Omit<StoredEvent, 'parties'> & { client_key: string | null; user_key: string | null }

/**
 * Nothing of a row is read to know its parties, except of one that an older release stored. These have names that are none of our own
 * events: see `partyNames`.
 */
function storedOf({ client_key: client, user_key: user, ...stored }: StoredRow): StoredEvent {
  if (stored.wasSetAside) return { ...stored, parties: [] }
  const keys =
    client !== null && user !== null ? { client, user } : keysOf(partiesOf(JSON.parse(stored.json)))
  return {
    ...stored,
    parties: Object.entries(keys).flatMap(([kind, key]) =>
      String(key) === '0' ? [] : [`${kind}-key ${key}`],
    ),
  }
}

/** The keys of stored parties of a kind. The backend also knows those of our own events, which are left out. */
function keysIn(parties: readonly string[], kind: keyof Parties): string[] {
  const start = `${kind}-key `
  return parties.flatMap((party) => (party.startsWith(start) ? [party.slice(start.length)] : []))
}

/** The keys of what an event is about. Of two events that share one, the later one must wait. */
function keysOf({ client, user }: Parties): { client: bigint; user: bigint } {
  return { client: keyOf(client), user: keyOf(user) }
}

/** A number for a text, which may be long; 0 for none. */
function keyOf(id: string | undefined): bigint {
  return id ? hash('sha256', id, 'buffer').readBigInt64BE() : 0n
}
