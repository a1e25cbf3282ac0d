import { anyAddress } from '@gatehouse/kit/address-rule'
import { createFetcher } from '@gatehouse/kit/guarded-fetch'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, openTestQueries } from '@gatehouse/test/database'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordedLog } from '../../kit/test/recorded-log.ts'
import { createWebhook } from '../src/backends/webhook.ts'
import { createDelivery } from '../src/delivery.ts'
import type { Outbox } from '../src/outbox.ts'
import { outgoingEvent, storedEvent } from '../src/outgoing.ts'
import { createOutbox } from '../src/store/outbox.ts'
import { type Receiver, startReceiver, status } from './backends/receiver.ts'
import { issuer, someEnvelope } from './events.ts'

let database: Database
let drop: () => Promise<void>
let url = ''
const queries = openTestQueries(() => url)
let outbox: Outbox
let receiver: Receiver
const atEnd: (() => unknown)[] = []
beforeAll(async () => {
  const created = await createDatabase()
  drop = created.drop
  url = created.url
  database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 5 })
  outbox = createOutbox(database)
  receiver = await startReceiver()
})
afterEach(() => Promise.all(atEnd.splice(0).map((step) => step())))
afterAll(async () => {
  await receiver.close()
  await Promise.all([database, queries].map((each) => each?.close()))
  await drop?.()
})
beforeEach(async () => {
  receiver.posts.length = 0
  await queries.query('truncate events.outbox, events.taken_events')
})

const eventOf = (user_id: string, client_id?: string) => {
  const { event, ...envelope } = someEnvelope()
  const { client_id: _, ...others } = event
  return { ...envelope, event: { ...others, event_type: 'tried', user_id, ...(client_id && { client_id }) } }
}
const ingest = (envelopes: ReturnType<typeof eventOf>[]) =>
  outbox.add(
    envelopes.map((envelope) => ({ envelope, json: JSON.stringify(envelope), identity: envelope.event.id })),
    ['webhook'],
  )

/** Delivers to a receiver that never answers for these users. */
function start(silentFor: (user: string) => boolean) {
  receiver.answer = (response, request, body) => {
    if (!silentFor(JSON.parse(body).data.event.user_id)) status(204)(response, request)
  }
  const fetcher = createFetcher({ rule: anyAddress, timeoutMs: 300, connections: 8 })
  const counted: Record<string, number> = { delivered: 0, failed: 0 }
  const { log } = recordedLog()
  const backend = createWebhook({
    ...{ issuer, refused: () => undefined, attempted: () => undefined, fetcher, now: Date.now },
    ...{ url: new URL(receiver.url), keys: [Buffer.alloc(32, 7)] },
  })
  atEnd.push(() => backend.close())
  const delivery = createDelivery({
    ...{ name: 'webhook', backend, outbox, log, now: Date.now, random: () => 0 },
    outgoing: (json) => storedEvent(json, issuer),
    isElected: async () => true,
    published: (outcome, count) => {
      counted[outcome] = (counted[outcome] ?? 0) + count
    },
    dropped: () => undefined,
    stopping: new AbortController().signal,
    givingUp: new AbortController().signal,
  })
  return { delivery, counted, round: () => delivery.run().catch(() => undefined) }
}
const usersPosted = () => receiver.posts.map(({ body }) => String(JSON.parse(body).data.event.user_id))
const waiting = () =>
  queries.query(
    `select envelope::json->'event'->>'user_id' as name, not_before > now() as later from events.outbox order by position`,
  )

test('an event whose receiver never answers is set aside, and 1,500 behind it are delivered', async () => {
  const { round } = start((user) => user === 'poison')
  await ingest([eventOf('poison')])
  const others = Array.from({ length: 1_500 }, (_, index) => eventOf(`user-${index}`))
  await ingest(others)
  await expect
    .poll(
      async () => {
        await round()
        return (await waiting()).length
      },
      { timeout: 40_000 },
    )
    .toBe(1)
  expect(await waiting()).toEqual([{ name: 'poison', later: true }])
  const posted = usersPosted()
  expect(new Set(posted).size).toBe(1_501)
  expect(posted.filter((user) => user === 'poison')).toHaveLength(3)
  // It is tried again when its time has come, and delivered then.
  await queries.query('update events.outbox set not_before = now()')
  const { round: again } = start(() => false)
  await expect.poll(async () => [await again(), await waiting()]).toEqual([undefined, []])
})

test('so is one behind which only others of the same client wait', async () => {
  const { round } = start((user) => user === 'poison')
  await ingest(['poison', 'user-1', 'user-2'].map((user) => eventOf(user, 'one')))
  await expect
    .poll(
      async () => {
        await round()
        return waiting()
      },
      { timeout: 20_000 },
    )
    .toEqual([{ name: 'poison', later: true }])
  expect(usersPosted().filter((user) => user !== 'poison')).toEqual(['user-1', 'user-2'])
})

test('more events that are never answered than fit at once do not keep the others from their turn', async () => {
  const { round } = start((user) => user.startsWith('poison'))
  await ingest(Array.from({ length: 12 }, (_, index) => eventOf(`poison-${index}`, `silent-${index}`)))
  await ingest(Array.from({ length: 20 }, (_, index) => eventOf(`user-${index}`, `app-${index}`)))
  const names = async () => (await waiting()).filter(({ later }) => !later)
  await expect
    .poll(
      async () => {
        await round()
        return names()
      },
      { timeout: 40_000 },
    )
    .toEqual([])
  expect(new Set(usersPosted().filter((user) => user.startsWith('user'))).size).toBe(20)
  expect((await waiting()).length).toBe(12)
})

test('later events of the same user wait until that one is set aside, and one of our own is kept in the outbox', async () => {
  const poison = eventOf('poison', 'silent')
  const { delivery, round } = start((user) => user === 'poison')
  delivery.offer([outgoingEvent(() => poison, issuer)])
  delivery.offer(
    [eventOf('user-1', 'silent'), eventOf('user-2', 'other')].map((one) => outgoingEvent(() => one, issuer)),
  )
  await expect
    .poll(
      async () => {
        await round()
        return waiting()
      },
      { timeout: 20_000 },
    )
    .toEqual([{ name: 'poison', later: true }])
  await expect.poll(async () => [await round(), usersPosted().at(-1)]).toEqual([undefined, 'user-1'])
  expect(usersPosted().filter((user) => user === 'poison')).toHaveLength(3)
})

test('while the receiver answers nothing, nothing is set aside, and the order stays', async () => {
  let away = true
  const { round } = start(() => away)
  await ingest([eventOf('a', 'one'), eventOf('b', 'one'), eventOf('c', 'one')])
  for (let time = 0; time < 8; time += 1) await round()
  expect(await waiting()).toEqual(['a', 'b', 'c'].map((name) => ({ name, later: null })))
  away = false
  receiver.posts.length = 0
  await expect.poll(async () => [await round(), (await waiting()).length]).toEqual([undefined, 0])
  expect(usersPosted()).toEqual(['a', 'b', 'c'])
})
