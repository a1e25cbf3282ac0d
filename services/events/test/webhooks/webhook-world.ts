import { anyAddress } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, openTestQueries } from '@gatehouse/test/postgres/database'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { Envelope } from '../../src/envelopes/envelope.ts'
import { createDelivery, type Lane } from '../../src/outbox/delivery.ts'
import type { Outbox } from '../../src/outbox/outbox.ts'
import { storedEvent } from '../../src/outbox/outgoing.ts'
import { takenEvent } from '../../src/outbox/submission.ts'
import { createOutbox } from '../../src/store/outbox.ts'
import { createWebhook } from '../../src/webhooks/webhook.ts'
import { type Answering, type Receiver, startReceiver, status } from '../backends/receiver.ts'
import { issuer, someEnvelope } from '../events.ts'

let database: Database
let drop: () => Promise<void>
let url = ''
const queries = openTestQueries(() => url)
/** The database of the test file. */
export const databaseUrl = () => url
/** The outbox in PostgreSQL. */
export let outbox: Outbox
/** The receiver of the webhooks, a new one for each test. */
export let receiver: Receiver
const atEnd: (() => unknown)[] = []

/** How many events have an entry in the list of deliveries. */
export async function entries(): Promise<number> {
  const [row] = await queries.query('select count(*)::int as count from events.webhook_deliveries')
  return Number(row?.count)
}

/** Starts a database and a receiver for a test file. */
export function useWebhookWorld(): void {
  beforeAll(async () => {
    const created = await createDatabase()
    drop = created.drop
    url = created.url
    database = openDatabase({ databaseUrl: url, applicationName: 'gatehouse-test', poolSize: 5 })
    outbox = createOutbox(database)
  })
  afterEach(async () => {
    await Promise.all(atEnd.splice(0).map((step) => step()))
    await receiver.close()
  })
  afterAll(async () => {
    await Promise.all([database, queries].map((each) => each?.close()))
    await drop?.()
  })
  beforeEach(async () => {
    // A post that is on its way when a test ends must not come in the next one.
    receiver = await startReceiver()
    await queries.query('truncate events.outbox, events.taken_events, events.webhook_deliveries')
  })
}

/** An event about this user and, if it is named, this client. */
export function eventOf(user_id: string, client_id?: string): Envelope {
  const { event, ...envelope } = someEnvelope()
  const { client_id: _, ...others } = event
  return { ...envelope, event: { ...others, event_type: 'tried', user_id, ...(client_id && { client_id }) } }
}

/** This many events of different users whose names begin with a word. */
export const eventsOf = (word: string, count: number): Envelope[] =>
  Array.from({ length: count }, (_, index) => eventOf(`${word}-${index}`))

/** Takes events from outside. */
export const ingest = (envelopes: readonly Envelope[]) =>
  outbox.add(
    envelopes.map((envelope) => takenEvent(envelope, envelope.event.id)),
    ['webhook'],
  )

/** Never answers. */
export const silence: Answering = () => undefined

/** Delivers to a receiver that treats some users' events so, and accepts the others. */
export function start(isBad: (user: string) => boolean, bad: Answering = silence, timeoutMs = 300) {
  receiver.answer = (response, request, body) =>
    (isBad(JSON.parse(body).data.event.user_id) ? bad : status(204))(response, request)
  const fetcher = createFetcher({ rule: anyAddress, timeoutMs, connections: 128 })
  const { log } = recordedLog()
  const backend = createWebhook({
    ...{ refused: () => undefined, attempted: () => undefined, fetcher },
    ...{ now: Date.now, random: seededRandom() },
    ...{ url: new URL(receiver.url), keys: [Buffer.alloc(32, 7)] },
  })
  const stopping = new AbortController()
  const delivery = createDelivery({
    ...{ name: 'webhook', backend, outbox, log, now: Date.now, random: seededRandom() },
    outgoing: (stored) => storedEvent(stored, issuer),
    isElected: async () => true,
    published: () => undefined,
    dropped: () => undefined,
    stopping: stopping.signal,
    givingUp: stopping.signal,
  })
  const [own, outside] = delivery.lanes
  if (own === undefined || outside === undefined) throw new Error('there are two lanes')
  const running = new Set<Promise<void>>()
  /** Runs a lane once, as the service does again and again. */
  const runOf = async ({ run }: Lane) => {
    const ending = run().catch(() => undefined)
    running.add(ending)
    await ending
  }
  const round = async () => {
    await Promise.all([own, outside].map(runOf))
  }
  atEnd.push(async () => {
    stopping.abort()
    await Promise.all(running)
    await backend.close()
  })
  return { delivery, own, outside, runOf, round }
}

/** The users whose events were posted so far. */
export const usersPosted = (): string[] =>
  receiver.posts.map(({ body }) => String(JSON.parse(body).data.event.user_id))

/** The users whose events wait, and whether they were set aside. */
export const waiting = () =>
  queries.query(
    `select envelope::json->'event'->>'user_id' as name, not_before > now() as later from events.outbox order by position`,
  )

/** Lets the time of those that were set aside come. */
export const wake = () =>
  queries.query('update events.outbox set not_before = now() where not_before is not null')

/** Makes the events up to a position those that an older release stored. */
export const forgetKeys = (position: string) =>
  queries.query(
    `update events.outbox set client_key = null, user_key = null where position <= ${Number(position)}`,
  )

/** The same numbers in each run (mulberry32). */
function seededRandom(): () => number {
  let state = 1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
