import { beforeEach, expect, test } from 'vitest'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { inSeconds, someRecord, useDatabase } from './database.ts'

const shared = useDatabase()
const noon = inSeconds('2030-01-01T12:00:00Z')
const day = 86_400

const names = async () => {
  const rows = await shared.query(
    `select relname as name from pg_class
     where relnamespace = 'token'::regnamespace and relkind = 'r' and relname like 'access_tokens_%' order by 1`,
  )
  return rows.map(({ name }) => String(name).replace('access_tokens_', ''))
}

const attached = async () => {
  const rows = await shared.query(
    `select inhrelid::regclass::text as name from pg_inherits
     where inhparent = 'token.access_tokens'::regclass and not inhdetachpending order by 1`,
  )
  return rows.map(({ name }) => String(name).replace('token.access_tokens_', ''))
}

beforeEach(async () => {
  for (const name of await names()) await shared.query(`drop table token.access_tokens_${name}`)
})

const daysOf2030 = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => `203001${String(from + index).padStart(2, '0')}`)

const insertInto = (expiresAt: number) =>
  shared.query(
    `insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope)
     values (to_timestamp($1), gen_random_uuid(), gen_random_uuid(), 'client_a', 'read')`,
    [expiresAt],
  )

/** Opens a transaction on a connection of its own. */
async function openTransaction() {
  const client = await shared.database.pool.connect()
  await client.query('begin')
  return {
    query: (text: string, values: unknown[] = []) => client.query(text, values),
    async end() {
      await client.query('commit')
      client.release()
    },
  }
}

test('makes the partitions of today and the next 14 days, once', async () => {
  const partitions = createPartitions(shared.database)
  const first = await partitions.maintain(noon)
  expect(first.made.map((name) => name.replace('access_tokens_', ''))).toEqual(daysOf2030(1, 15))
  expect(first.dropped).toEqual([])
  expect(await attached()).toEqual(daysOf2030(1, 15))
  expect(await partitions.maintain(noon)).toEqual({ made: [], dropped: [] })
  const tomorrow = await partitions.maintain(noon + day)
  expect(tomorrow.made).toEqual(['access_tokens_20300116'])
})

test('a partition holds its day from midnight to midnight UTC', async () => {
  const partitions = createPartitions(shared.database)
  const midnight = inSeconds('2030-01-02T00:00:00Z')
  await partitions.make([midnight - 1, midnight])
  await insertInto(midnight - 1)
  await insertInto(midnight)
  const rows = await shared.query(
    `select tableoid::regclass::text as name from token.access_tokens order by expires_at`,
  )
  expect(rows.map(({ name }) => name)).toEqual([
    'token.access_tokens_20300101',
    'token.access_tokens_20300102',
  ])
})

test('a partition has the table’s primary key, so it refuses a token twice', async () => {
  await createPartitions(shared.database).make([noon])
  const store = createAccessTokenStore({ database: shared.database, makePartitions: async () => undefined })
  const record = someRecord({ expiresAt: noon })
  await store.insert(record)
  await expect(store.insert(record)).rejects.toMatchObject({ code: '23505' })
})

test('makes each partition once when two replicas do it at the same time', async () => {
  const replicas = [createPartitions(shared.database), createPartitions(shared.another())]
  const results = await Promise.all(replicas.map((replica) => replica.maintain(noon)))
  expect(results.flatMap(({ made }) => made).sort()).toEqual(
    daysOf2030(1, 15).map((name) => `access_tokens_${name}`),
  )
  expect(await attached()).toEqual(daysOf2030(1, 15))
})

test('makes a day’s partition once for many concurrent requests', async () => {
  const replicas = [createPartitions(shared.database), createPartitions(shared.another())]
  await Promise.all(Array.from({ length: 12 }, (_, index) => replicas[index % 2]?.make([noon, noon + day])))
  expect(await attached()).toEqual(daysOf2030(1, 2))
})

test('drops a partition an hour after its last token expired, and no sooner', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  await insertInto(noon)
  await insertInto(noon + 4 * day)
  const hourAfter = inSeconds('2030-01-02T01:00:00Z')
  expect((await partitions.maintain(hourAfter)).dropped).toEqual([])
  expect((await partitions.maintain(hourAfter + 1)).dropped).toEqual(['access_tokens_20300101'])
  expect(await names()).not.toContain('20300101')
  expect((await partitions.maintain(noon + 3 * day)).dropped.sort()).toEqual([
    'access_tokens_20300102',
    'access_tokens_20300103',
  ])
  expect(await shared.query('select count(*)::int as count from token.access_tokens')).toEqual([{ count: 1 }])
})

test('finishes an interrupted detach', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  const reader = await openTransaction()
  await reader.query('select 1 from token.access_tokens')
  const client = await shared.database.pool.connect()
  await client.query(`set lock_timeout = '100ms'`)
  await expect(
    client.query(
      'alter table token.access_tokens detach partition token.access_tokens_20300101 concurrently',
    ),
  ).rejects.toThrow()
  client.release(true)
  await reader.end()
  const pending = await shared.query('select inhrelid from pg_inherits where inhdetachpending')
  expect(pending).toHaveLength(1)

  expect((await partitions.maintain(noon + day)).dropped).toEqual(['access_tokens_20300101'])
  expect(await names()).not.toContain('20300101')
})

test('drops a partition that was detached but not dropped', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  await shared.query('alter table token.access_tokens detach partition token.access_tokens_20300101')
  expect((await partitions.maintain(noon + day)).dropped).toEqual(['access_tokens_20300101'])
  expect(await names()).not.toContain('20300101')
})

test('makes a dropped day’s partition again when it is needed', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  await insertInto(noon + day)
  expect((await partitions.maintain(noon + day)).dropped).toEqual(['access_tokens_20300101'])
  // For example because of a wrong clock.
  await partitions.make([noon])
  await insertInto(noon)
  expect(await attached()).toContain('20300101')
})

test('leaves tables with other names alone', async () => {
  await shared.query('create table token.access_tokens_20200101_kept (a int)')
  await shared.query('create table token.access_tokens_archive (a int)')
  const partitions = createPartitions(shared.database)
  expect((await partitions.maintain(noon)).dropped).toEqual([])
  expect(await names()).toEqual(expect.arrayContaining(['20200101_kept', 'archive']))
})

test('makes partitions without waiting for inserts or blocking them', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.make([noon])
  const writer = await openTransaction()
  await writer.query(
    `insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope)
     values (to_timestamp($1), gen_random_uuid(), gen_random_uuid(), 'client_a', 'read')`,
    [noon],
  )
  // The writer's transaction is open: whatever waited for it would wait for ever.
  await partitions.make([noon + day])
  await insertInto(noon + day)
  await writer.end()
  expect(await shared.query('select count(*)::int as count from token.access_tokens')).toEqual([{ count: 2 }])
})

test('does not block inserts and look-ups while an expired partition waits to be dropped', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  const writer = await openTransaction()
  await writer.query(
    `insert into token.access_tokens (expires_at, jti, grant_id, client_id, scope)
     values (to_timestamp($1), gen_random_uuid(), gen_random_uuid(), 'client_a', 'read')`,
    [noon + 2 * day],
  )
  let done = false
  const dropping = partitions.maintain(noon + day).finally(() => {
    done = true
  })
  await new Promise((resolve) => setTimeout(resolve, 300))
  const from = performance.now()
  await insertInto(noon + 2 * day)
  await shared.query('select count(*) from token.access_tokens where expires_at > to_timestamp($1)', [noon])
  expect(performance.now() - from).toBeLessThan(1_000)
  // The drop must still be waiting for the writer, or this test would prove nothing.
  expect(done).toBe(false)
  await writer.end()
  expect((await dropping).dropped).toEqual(['access_tokens_20300101'])
})

test('gives up in time on a blocked drop, and catches up in the next round', async () => {
  const partitions = createPartitions(shared.database)
  await partitions.maintain(noon)
  const reader = await openTransaction()
  await reader.query('select 1 from token.access_tokens')
  await expect(partitions.maintain(noon + day)).rejects.toThrow()
  await insertInto(noon + 2 * day)
  await reader.end()
  expect((await partitions.maintain(noon + day)).dropped).toEqual(['access_tokens_20300101'])
})
