import type { Actor } from '@gatehouse/kit/actor'
import { type Database, openDatabase } from '@gatehouse/prisma/database'
import { createDatabase, openTestQueries } from '@gatehouse/test/postgres/database'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OutgoingEvent } from '../../src/envelopes/backend.ts'
import { deletionsOfExpired } from '../../src/store/expired.ts'
import { createOutbox } from '../../src/store/outbox.ts'
import { createWebhookDeliveryStore } from '../../src/store/webhook-deliveries.ts'
import type { PostedEvent } from '../../src/webhooks/webhook-attempts.ts'
import {
  type DeliveryFilter,
  getWebhookDelivery,
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
  type WebhookDeliveryDeps,
} from '../../src/webhooks/webhook-deliveries.ts'
import { issuer, someEvents } from '../events.ts'

let database: Database
let drop: () => Promise<void>
let url = ''
const queries = openTestQueries(() => url)
const { query } = queries
let deps: WebhookDeliveryDeps
const emitted: unknown[] = []

beforeAll(async () => {
  const created = await createDatabase()
  drop = created.drop
  url = created.url
  database = openDatabase({ databaseUrl: created.url, applicationName: 'gatehouse-test', poolSize: 5 })
  deps = {
    deliveries: createWebhookDeliveryStore(
      database,
      async (_, { type, content }) => void emitted.push([type, content]),
    ),
    configured: true,
    issuer,
    randomUuid: () => crypto.randomUUID(),
    now: Date.now,
  }
})
afterAll(async () => {
  await Promise.all([database, queries].map((each) => each?.close()))
  await drop?.()
})

beforeEach(async () => {
  emitted.length = 0
  await query('truncate events.outbox, events.webhook_deliveries, events.audit_log')
})

const actor: Actor = { kind: 'user', id: 'u', name: 'ann', ipAddress: '192.0.2.1' }
const all: DeliveryFilter = { state: undefined, since: undefined, until: undefined }
/** The time of the next attempt, in milliseconds. */
let clock = Date.now()
const posted = (
  event: OutgoingEvent,
  outcome: PostedEvent['last']['outcome'],
  status?: number,
): PostedEvent => ({
  ...{
    eventId: event.envelope.event.id,
    eventType: 'token_created',
    clientId: 'client_a',
    userId: undefined,
  },
  ...{ attempts: 1, envelope: event.json },
  last: {
    outcome,
    status,
    failure: outcome === 'delivered' ? undefined : `the receiver answered ${status}`,
    at: clock++,
    durationMs: 4.6,
  },
})
const list = async (filter: Partial<DeliveryFilter> = {}, limit = 50, cursor?: string) =>
  listWebhookDeliveries({ ...all, ...filter, cursor, limit }, deps)
/** Some events, one of each outcome, stored one after the other. */
async function some(): Promise<[delivered: string, refused: string, failed: string]> {
  const [delivered, refused, failed] = someEvents(3) as [OutgoingEvent, OutgoingEvent, OutgoingEvent]
  await deps.deliveries.add([posted(delivered, 'delivered', 204)])
  await deps.deliveries.add([posted(refused, 'refused', 422)])
  await deps.deliveries.add([posted(failed, 'failed')])
  return [delivered.envelope.event.id, refused.envelope.event.id, failed.envelope.event.id]
}

test('another event with the same id does not change what became of the first', async () => {
  const [delivered] = await some()
  const [first] = (await list({ state: 'delivered' })).items
  const [other] = someEvents(1) as [OutgoingEvent]
  await deps.deliveries.add([{ ...posted(other, 'failed', 500), eventId: delivered }])
  expect((await list({ state: 'delivered' })).items).toEqual([first])
})

test('what was posted is listed, newest first, in pages and by filters', async () => {
  const [delivered, refused, failed] = await some()
  const { items } = await list()
  expect(items.map(({ eventId, state, status }) => [eventId, state, status])).toEqual([
    [failed, 'failed', undefined],
    [refused, 'refused', 422],
    [delivered, 'delivered', 204],
  ])
  expect(items[1]).toMatchObject({ attempts: 1, failure: 'the receiver answered 422', durationMs: 5 })
  const first = await list({}, 2)
  expect(first.items.map(({ eventId }) => eventId)).toEqual([failed, refused])
  const second = await list({}, 2, first.nextCursor)
  expect([second.items.map(({ eventId }) => eventId), second.nextCursor]).toEqual([[delivered], undefined])
  const ids = async (filter: Partial<DeliveryFilter>) =>
    (await list(filter)).items.map(({ eventId }) => eventId)
  expect(await ids({ state: 'refused' })).toEqual([refused])
  expect(await ids({ clientId: 'client_b' })).toEqual([])
  expect(await ids({ eventType: 'token_created', clientId: 'client_a' })).toHaveLength(3)
  expect(await ids({ until: new Date(Date.now() - 60_000) })).toEqual([])
  expect(await ids({ since: new Date(Date.now() - 60_000) })).toHaveLength(3)
})

test.each([
  'x',
  Buffer.from('["1"]').toString('base64url'),
  Buffer.from('["now","x"]').toString('base64url'),
])('the cursor %s is invalid', async (cursor) => {
  await expect(list({}, 5, cursor)).rejects.toMatchObject({ code: 'invalid_request' })
})

test('a later attempt replaces the earlier one, and both are counted', async () => {
  const [event] = someEvents(1) as [OutgoingEvent]
  await deps.deliveries.add([posted(event, 'failed', 503)])
  await deps.deliveries.add([{ ...posted(event, 'delivered', 200), attempts: 3 }])
  const { items } = await list()
  expect(items).toMatchObject([{ state: 'delivered', status: 200, attempts: 4, failure: undefined }])
})

test('a delivery is shown with the body that was posted', async () => {
  const [delivered] = await some()
  const { delivery, body } = await getWebhookDelivery(delivered, deps)
  expect(delivery.state).toBe('delivered')
  expect(JSON.parse(body)).toMatchObject({ specversion: '1.0', id: delivered, type: 'token_created' })
  for (const unknown of [crypto.randomUUID(), 'x', ''])
    await expect(getWebhookDelivery(unknown, deps)).rejects.toMatchObject({ code: 'not_found' })
})

describe('an event that is sent again', () => {
  test('waits in the outbox for the webhook alone, and the audit log says who sent it', async () => {
    const [, refused] = await some()
    await retryWebhookDelivery(refused, actor, deps)
    const waiting = await createOutbox(database).next('webhook', 10)
    expect(waiting.map(({ json }) => JSON.parse(json).event.id)).toEqual([refused])
    expect((await list()).items[0]).toMatchObject({ eventId: refused, state: 'waiting', attempts: 1 })
    expect(await query('select action, target, actor_name from events.audit_log')).toEqual([
      { action: 'webhook.retry', target: refused, actor_name: 'ann' },
    ])
    const metadata = {
      ...{ action: 'webhook.retry', target: refused, entry_id: expect.any(String) },
      ...{ ip_address: actor.ipAddress, user_agent: '' },
    }
    expect(emitted).toEqual([['administrator_acted', { userId: 'u', metadata }]])
  })

  test('is unknown if it was not posted, and then nothing is written', async () => {
    for (const unknown of [crypto.randomUUID(), "x' or true"])
      await expect(retryWebhookDelivery(unknown, actor, deps)).rejects.toMatchObject({ code: 'not_found' })
    expect(await query('select from events.outbox union all select from events.audit_log')).toEqual([])
  })
})

test('a test event is sent to the webhook alone, and is listed', async () => {
  const id = await testWebhook(actor, deps)
  const [waiting] = await createOutbox(database).next('webhook', 10)
  expect(JSON.parse(waiting?.json ?? '')).toMatchObject({ event: { id, event_type: 'webhook_test' } })
  expect((await list()).items).toMatchObject([{ eventId: id, state: 'waiting', attempts: 0 }])
  expect(await query('select action, target from events.audit_log')).toEqual([
    { action: 'webhook.test', target: id },
  ])
})

test('deliveries are kept for 7 days, and of each state the newest 100,000', {
  timeout: 180_000,
}, async () => {
  await query(`insert into events.webhook_deliveries
    (event_id, event_type, client_id, user_id, state, attempts, failure, changed_at, envelope)
    select gen_random_uuid(), 't', '', '', case when n % 2 = 0 then 'delivered' else 'failed' end, 1, '',
      now() - n * interval '1 second', '{}' from generate_series(1, 200010) as n`)
  const [, refused] = await some()
  await query(
    `update events.webhook_deliveries set changed_at = now() - interval '8 days' where event_id = '${refused}'`,
  )
  const { webhook_deliveries: clean } = deletionsOfExpired(database, () => undefined)
  expect(await clean?.()).toBe(1 + 6 + 6)
  expect(
    await query('select state, count(*)::int from events.webhook_deliveries group by 1 order by 1'),
  ).toEqual([
    { state: 'delivered', count: 100_000 },
    { state: 'failed', count: 100_000 },
  ])
})

test('of each state the newest deliveries are kept whose bodies fit', async () => {
  // Random, so that PostgreSQL cannot compress them.
  await query(`insert into events.webhook_deliveries
    (event_id, event_type, client_id, user_id, state, attempts, failure, changed_at, envelope)
    select gen_random_uuid(), n::text, '', '', case when n % 2 = 0 then 'delivered' else 'failed' end, 1, '',
      now() - n * interval '1 second',
      (select string_agg(encode(sha256((n::text || piece)::bytea), 'hex'), '') from generate_series(1, 1000) as piece)
    from generate_series(1, 40) as n`)
  const megabyte = 1_000_000
  const { webhook_deliveries: clean } = deletionsOfExpired(database, () => undefined, megabyte)
  expect(await clean?.()).toBe(40 - 2 * 15)
  const kept = await query('select event_type::int as number from events.webhook_deliveries order by 1')
  expect(kept.map(({ number }) => Number(number))).toEqual(
    Array.from({ length: 30 }, (_, index) => index + 1),
  )
  const { webhook_deliveries: usual } = deletionsOfExpired(database, () => undefined)
  expect(await usual?.()).toBe(0)
})
