import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ingest } from '../../src/outbox/outbox.ts'
import { type TakenEvent, takenEvent } from '../../src/outbox/submission.ts'
import { deletionsOfExpired } from '../../src/store/expired.ts'
import { createOutbox } from '../../src/store/outbox.ts'
import { someEnvelope } from '../events.ts'

/** Two replicas of the service, each with a pool of its own. */
const replicas: Database[] = []
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createDatabase()
  drop = created.drop
  for (let count = 0; count < 2; count += 1)
    replicas.push(openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 5 }))
})
afterAll(async () => {
  await Promise.all(replicas.map((database) => database.close()))
  await drop?.()
})

const database = (index = 0) => {
  const found = replicas[index]
  if (found === undefined) throw new Error('there are two replicas')
  return found
}
const outbox = (index = 0) => createOutbox(database(index))
const query = async (text: string) => (await database().pool.query(text)).rows
beforeEach(() => query('truncate events.outbox, events.taken_events'))

const taken = (key: string, envelope = someEnvelope({ idempotency_key: key })) => takenEvent(envelope, key)
const take = (events: TakenEvent[], backends = ['one'], index = 0) =>
  ingest(events, { outbox: outbox(index), backends })

test('an event is stored for each backend, and each backend gets the events in the order in which they came', async () => {
  // More than ten: the eleventh number has one digit more, so a sort by text would be wrong.
  const events = Array.from({ length: 12 }, (_, index) => taken(`event ${index}`))
  await take(events.slice(0, 2), ['one', 'two'])
  await take(events.slice(2), ['one', 'two'])
  const stored = await outbox(1).next('one', 500)
  expect(stored.map(({ json }) => json)).toEqual(events.map(({ json }) => json))
  await outbox().remove(stored.slice(0, 2).map(({ position }) => position))
  expect(await outbox().next('one', 500)).toEqual(stored.slice(2))
  expect(await outbox().next('two', 2)).toHaveLength(2)
  expect(await outbox().next('three', 2)).toEqual([])
})

test('events that were postponed come back when their time has come, a few at once and behind the others', async () => {
  await take(Array.from({ length: 20 }, (_, index) => taken(`event ${index}`)))
  const stored = await outbox().next('one', 500)
  const position = (index: number) => stored[index]?.position ?? ''
  await outbox().postpone(stored.slice(0, 12).map((one) => ({ position: one.position, forMs: 0 })))
  await outbox().postpone([{ position: position(12), forMs: 60_000 }])
  const next = await outbox().next('one', 500)
  expect(next.map((one) => one.position).slice(0, 7)).toEqual(stored.slice(13).map((one) => one.position))
  expect(next.map(({ wasSetAside }) => wasSetAside)).toEqual([
    ...Array.from({ length: 7 }, () => false),
    ...Array.from({ length: 8 }, () => true),
  ])
})

test('a repeated event is a duplicate of the first, in the same call or later, at any replica', async () => {
  const [first, second, third] = [taken('key'), taken('key'), taken('key')]
  const id = first.eventId
  const receipt = { idempotencyKey: 'key', eventId: id }
  expect(await take([first, second])).toEqual([
    { duplicate: false, ...receipt },
    { duplicate: true, ...receipt },
  ])
  expect(await take([third], ['one'], 1)).toEqual([{ duplicate: true, ...receipt }])
  expect(await take([first])).toEqual([{ duplicate: true, ...receipt }])
  expect(await outbox().next('one', 10)).toHaveLength(1)
})

test('of fifty equal events at once at two replicas, one is accepted and delivered, in every round', async () => {
  for (let round = 0; round < 20; round += 1) {
    const keys = [`key ${round}`, `other ${round}`]
    const receipts = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        take(
          keys.map((key) => taken(key)),
          ['one'],
          index % 2,
        ),
      ),
    )
    for (const place of [0, 1]) {
      const accepted = receipts.filter((receipt) => receipt[place]?.duplicate === false)
      expect(accepted).toHaveLength(1)
      expect(new Set(receipts.map((receipt) => receipt[place]?.eventId)).size).toBe(1)
    }
  }
  expect(await outbox().next('one', 500)).toHaveLength(40)
})

test('a key can be used again after a day, and its row is deleted', async () => {
  const { eventId } = (await take([taken('old')]))[0] ?? {}
  await query("update events.taken_events set expires_at = now() - interval '1 second'")
  const [again] = await take([taken('old')])
  expect(again?.duplicate).toBe(false)
  expect(again?.eventId).not.toBe(eventId)
  expect((await take([taken('old')]))[0]).toEqual({ ...again, duplicate: true })

  await take([taken('new')])
  await query(
    "update events.taken_events set expires_at = now() - interval '1 second' where event_id in (select event_id from events.taken_events limit 1)",
  )
  const deletions = deletionsOfExpired(database(), () => undefined)
  expect(await deletions.taken_events?.()).toBe(1)
  expect(await query('select count(*)::int as count from events.taken_events')).toEqual([{ count: 1 }])
})

test('an event that no backend accepted for a week is given up and reported', async () => {
  await take([taken('a'), taken('b')])
  const given: number[] = []
  const deletions = deletionsOfExpired(database(), (count) => given.push(count))
  expect(await deletions.outbox?.()).toBe(0)
  await query(
    "update events.outbox set created_at = now() - interval '8 days' where position = (select min(position) from events.outbox)",
  )
  expect(await deletions.outbox?.()).toBe(1)
  expect(given).toEqual([1])
  expect(await outbox().next('one', 10)).toHaveLength(1)
})

test('texts that PostgreSQL’s jsonb would refuse are stored unchanged', async () => {
  const envelope = someEnvelope()
  const odd = { ...envelope, event: { ...envelope.event, metadata: { text: 'a\u0000b\u{1f600}' } } }
  await take([taken('odd', odd)])
  expect(JSON.parse((await outbox().next('one', 1))[0]?.json ?? '')).toEqual(odd)
})

test('no event is accepted while the database is unavailable', async () => {
  const away = openDatabase({
    databaseUrl: 'postgresql://127.0.0.1:1/none',
    applicationName: 'gatehouse-test',
    poolSize: 2,
  })
  const attempt = ingest([taken('a')], { outbox: createOutbox(away), backends: ['one'] })
  await expect(attempt).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  await away.close()
})

test('counts what waits for each backend, and since when', async () => {
  const before = Date.now()
  await take([taken('a'), taken('b')], ['one', 'two'])
  const [first] = await outbox().next('two', 1)
  await outbox().remove([first?.position ?? ''])
  const [one, none, two] = await outbox(1).backlogs(['one', 'none', 'two'])
  expect([one?.waiting, none?.waiting, two?.waiting]).toEqual([2, 0, 1])
  expect(Math.abs((one?.since?.getTime() ?? 0) - before)).toBeLessThan(60_000)
  expect(none?.since).toBeUndefined()
})
