import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createAccessTokenStore } from '../../src/store/access-tokens.ts'
import { deleteExpired } from '../../src/store/expired.ts'
import { createPartitions } from '../../src/store/partitions.ts'
import { createRevocationStore } from '../../src/store/revocations.ts'
import { someRecord, useDatabase } from './database.ts'

const shared = useDatabase()
beforeEach(() => shared.query('delete from token.revocations'))

const rows = () =>
  shared.query(
    `select kind, id, issued_before::text = 'infinity' as for_ever,
       case when issued_before = 'infinity' then null else issued_before end as issued_before,
       case when expires_at = 'infinity' then null else extract(epoch from expires_at - now())::int end as seconds_left
     from token.revocations order by kind, id`,
  )

const earlier = new Date('2030-01-01T00:00:00.123Z')
const later = new Date('2030-01-02T00:00:00.456Z')

test.each(['grant', 'client', 'user', 'consent'] as const)('stores the revocation of a %s', async (kind) => {
  await createRevocationStore(shared.database, 3600).add({ kind, id: 'a', issuedBefore: earlier })
  expect(await rows()).toMatchObject([{ kind, id: 'a', for_ever: false, issued_before: earlier }])
})

test('keeps the later of two times, whichever comes first', async () => {
  const store = createRevocationStore(shared.database, 3600)
  await store.add({ kind: 'user', id: 'a', issuedBefore: earlier })
  await store.add({ kind: 'user', id: 'a', issuedBefore: later })
  await store.add({ kind: 'user', id: 'b', issuedBefore: later })
  await store.add({ kind: 'user', id: 'b', issuedBefore: earlier })
  expect(await rows()).toMatchObject([
    { id: 'a', issued_before: later },
    { id: 'b', issued_before: later },
  ])
})

test('keeps a revocation without an end over one with a time', async () => {
  const store = createRevocationStore(shared.database, 3600)
  await store.add({ kind: 'user', id: 'a', issuedBefore: undefined })
  await store.add({ kind: 'user', id: 'a', issuedBefore: later })
  expect(await rows()).toMatchObject([{ for_ever: true }])
})

test('keeps the latest of many concurrent revocations', async () => {
  const store = createRevocationStore(shared.database, 3600)
  const moments = Array.from({ length: 30 }, (_, index) => new Date(earlier.getTime() + index))
  await Promise.all(
    moments
      .toSorted(() => Math.random() - 0.5)
      .map((issuedBefore) => store.add({ kind: 'user', id: 'a', issuedBefore })),
  )
  expect(await rows()).toMatchObject([{ issued_before: moments.at(-1) }])
})

test('keeps a revocation as long as a revoked token can live', async () => {
  const store = createRevocationStore(shared.database, 7 * 86_400)
  await store.add({ kind: 'user', id: 'a', issuedBefore: new Date() })
  const [row] = await rows()
  expect(Number(row?.seconds_left)).toBeGreaterThan(7 * 86_400 - 60)
  await store.add({ kind: 'user', id: 'a', issuedBefore: new Date(0) })
  expect(Number((await rows())[0]?.seconds_left)).toBeGreaterThan(7 * 86_400 - 60)
})

test('keeps a late revocation long enough for tokens issued until it arrived', async () => {
  const dayAgo = new Date(Date.now() - 86_400_000)
  await createRevocationStore(shared.database, 3600).add({ kind: 'user', id: 'a', issuedBefore: dayAgo })
  const [row] = await rows()
  expect(row?.issued_before).toEqual(dayAgo)
  expect(Number(row?.seconds_left)).toBeGreaterThan(3500)
})

test('covers the whole millisecond of a revocation’s time, and nothing after it', async () => {
  const issuedBefore = new Date('2030-01-01T00:00:00.123Z')
  await createRevocationStore(shared.database, 3600).add({ kind: 'user', id: 'a', issuedBefore })
  const [row] = await shared.query(
    `select issued_before >= '2030-01-01T00:00:00.123900Z' as within, issued_before >= '2030-01-01T00:00:00.124Z' as after
     from token.revocations`,
  )
  expect(row).toEqual({ within: true, after: false })
})

test('takes the database’s time for `now`', async () => {
  await createRevocationStore(shared.database, 3600).add({ kind: 'grant', id: 'a', issuedBefore: 'now' })
  const [row] = await shared.query('select issued_before = created_at as exact from token.revocations')
  expect(row).toEqual({ exact: true })
})

test('deletes expired revocations in batches and keeps the others', async () => {
  await shared.query(
    `insert into token.revocations (kind, id, issued_before, expires_at)
     select 'user', 'over ' || n, now() - interval '2 h', now() - interval '1 s' from generate_series(1, 2500) n`,
  )
  const store = createRevocationStore(shared.database, 3600)
  await store.add({ kind: 'user', id: 'needed', issuedBefore: new Date() })
  shared.statements.length = 0
  expect(await deleteExpired(shared.database, 'revocations')).toBe(2_500)
  expect(shared.statements.length).toBeGreaterThan(1)
  expect(await rows()).toMatchObject([{ id: 'needed' }])
  expect(await deleteExpired(shared.database, 'revocations')).toBe(0)
})

test('deletes each revocation once when two replicas clean up at the same time', async () => {
  await shared.query(
    `insert into token.revocations (kind, id, issued_before, expires_at)
     select 'user', 'over ' || n, now() - interval '2 h', now() - interval '1 s' from generate_series(1, 1500) n`,
  )
  const deleted = await Promise.all(
    [shared.database, shared.another()].map((database) => deleteExpired(database, 'revocations')),
  )
  expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(1_500)
  expect(await rows()).toEqual([])
})

test('keeps a revocation without an end through every clean-up', async () => {
  const clientId = `client_${randomUUID()}`
  // A lifetime of 0 makes everything else expire at once, so this clean-up stands for one in the far future.
  await createRevocationStore(shared.database, 0).add({
    kind: 'client',
    id: clientId,
    issuedBefore: undefined,
  })
  await new Promise((resolve) => setTimeout(resolve, 20))
  await deleteExpired(shared.database, 'revocations')
  const { make } = createPartitions(shared.database)
  const tokens = createAccessTokenStore({ database: shared.database, makePartitions: make })
  const record = someRecord({ clientId })
  await tokens.insert(record)
  expect(await tokens.findLive(record)).toBeUndefined()
})
