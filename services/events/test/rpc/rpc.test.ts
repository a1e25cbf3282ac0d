import { actorMessage } from '@gatehouse/kit/actor'
import { createRpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { type Implementation, startRpcServer } from '@gatehouse/kit/rpc/rpc-server'
import { Registry } from '@gatehouse/kit/telemetry/metrics'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { EventsServiceService as events, type Submission } from '@gatehouse/proto/events/v1'
import { afterEach, expect, test } from 'vitest'
import type { EmittedEvents } from '../../src/outbox/emitted.ts'
import { createRing } from '../../src/outbox/ring.ts'
import type { TakenEvent } from '../../src/outbox/submission.ts'
import { eventsRpcs, type RpcDeps, switchedOffRpcs } from '../../src/rpc/rpc.ts'
import type { WebhookDeliveryDeps } from '../../src/webhooks/webhook-deliveries.ts'
import { issuer, someEvents, someSubmission, unreadableEvent } from '../events.ts'

const closing: (() => unknown)[] = []
afterEach(() => Promise.all(closing.splice(0).map((close) => close())))

async function serve(implementation: Implementation) {
  const options = {
    host: '127.0.0.1',
    port: 0,
    actor: 'events',
    log: recordedLog().log,
    registry: new Registry(),
  }
  const server = await startRpcServer([implementation], options, () => undefined)
  const client = createRpcClient(events, `127.0.0.1:${server.port}`, 5_000)
  closing.push(() => server.close(0), client.close)
  return client
}

const unasked = async (): Promise<never> => expect.unreachable('nobody asks for deliveries')
const noWebhook: WebhookDeliveryDeps = {
  deliveries: { add: unasked, list: async () => [], get: unasked, retry: unasked, send: unasked },
  configured: false,
  issuer,
  randomUuid: () => crypto.randomUUID(),
  now: Date.now,
}

function deps(changes: Partial<RpcDeps> = {}): RpcDeps {
  return {
    submission: { now: Date.now, randomUuid: () => crypto.randomUUID() },
    ingestion: {
      backends: ['one'],
      outbox: {
        add: async (taken) => taken.map(({ eventId }) => ({ stored: true, eventId })),
      },
    },
    receive: () => undefined,
    plugins: () => [],
    outbox: { backlogs: async () => [] },
    ring: undefined,
    instance: 'this-one',
    webhooks: noWebhook,
    ...changes,
  }
}

const submission = (body: unknown): Submission => someSubmission(body)
const fine = (key: string) => submission({ event: { event_type: 't' }, idempotency_key: key })

test('with eventing off there are no plugins, submissions are refused and emitted events are discarded', async () => {
  const client = await serve(switchedOffRpcs())
  expect(await client.getEventHealth({})).toEqual({ enabled: false, plugins: [] })
  expect(await client.listRecentEvents({ afterNumber: 0, instance: '' })).toMatchObject({ held: false })
  expect(await client.listEventBackends({})).toEqual({ backends: [] })
  await client.reportEvents({ emitter: '', firstNumber: 1, producer: 'token', events: [] })
  await expect(client.ingestEvents({ items: [fine('a')] })).rejects.toMatchObject({
    code: 'eventing_disabled',
  })
})

test('lists the backends with what waits for them', async () => {
  const since = new Date(1_000)
  const client = await serve(
    eventsRpcs(
      deps({
        plugins: () => [
          { name: 'kafka', healthy: true },
          { name: 'webhook', healthy: false, failingSince: 500 },
        ],
        outbox: {
          backlogs: async (names) =>
            names.map((name) =>
              name === 'webhook' ? { waiting: 7, since } : { waiting: 0, since: undefined },
            ),
        },
      }),
    ),
  )
  expect(await client.listEventBackends({})).toEqual({
    backends: [
      { name: 'kafka', healthy: true, failingSince: undefined, waiting: 0, waitingSince: undefined },
      { name: 'webhook', healthy: false, failingSince: new Date(500), waiting: 7, waitingSince: since },
    ],
  })
})

test('without a webhook nothing can be sent to it', async () => {
  const client = await serve(eventsRpcs(deps()))
  const actor = actorMessage({ kind: 'user', id: 'u', name: 'ann', ipAddress: '192.0.2.1' })
  const refused = {
    code: 'invalid_request',
    description: expect.stringContaining('OAUTH2_EVENTS_WEBHOOK_URL'),
  }
  await expect(client.testWebhook({ actor })).rejects.toMatchObject(refused)
  await expect(client.retryWebhookDelivery({ eventId: crypto.randomUUID(), actor })).rejects.toMatchObject(
    refused,
  )
})

test('each item of a batch has its own outcome, in its place', async () => {
  const added: TakenEvent[] = []
  const client = await serve(
    eventsRpcs(
      deps({
        ingestion: {
          backends: ['one'],
          outbox: {
            add: async (taken) => {
              added.push(...taken)
              return taken.map(({ identity }) => ({
                stored: identity !== 'known',
                eventId: `id of ${identity}`,
              }))
            },
          },
        },
      }),
    ),
  )
  const deep = `{"event":{"event_type":"t","metadata":{"a":${'['.repeat(6_000)}${']'.repeat(6_000)}}}}`
  const items = [
    ...[submission('nonsense'), fine('new'), fine('known'), fine('new'), submission({ event: {} })],
    submission(deep),
  ]
  const { results } = await client.ingestEvents({ items })
  expect(results.map(({ outcome }) => outcome?.value)).toEqual([
    { code: 'invalid_request', description: 'The body is not JSON.' },
    { duplicate: false, idempotencyKey: 'new', eventId: 'id of new' },
    { duplicate: true, idempotencyKey: 'known', eventId: 'id of known' },
    { duplicate: true, idempotencyKey: 'new', eventId: 'id of new' },
    { code: 'invalid_request', description: expect.stringContaining('event.event_type') },
    { code: 'invalid_request', description: expect.stringContaining('nested') },
  ])
  expect(added.map(({ identity }) => identity)).toEqual(['new', 'known'])
})

test('while the database is unavailable a whole batch is refused, and can be sent again', async () => {
  const add = () => Promise.reject(new Error('away'))
  const client = await serve(eventsRpcs(deps({ ingestion: { backends: [], outbox: { add } } })))
  const asking = client.ingestEvents({ items: [fine('a')] })
  await expect(asking).rejects.toMatchObject({ code: 'server_error' })
})

const emitted = { emitter: 'e', firstNumber: 2 ** 40, producer: 'token' }
const nothing = { metadata: '{}' }

test('an emitted event is received as it was sent', async () => {
  const received: EmittedEvents[] = []
  const client = await serve(eventsRpcs(deps({ receive: (emitted) => received.push(emitted) })))
  const all = { ...nothing, userId: 'u', error: 'e', metadata: '{"a":"b ✓"}', traceparent: 't' }
  const events = [
    { eventType: 'a', timeMs: Date.now(), ...all },
    { eventType: 'b', timeMs: 0, ...nothing },
  ]
  await client.reportEvents({ ...emitted, events })
  await client.reportEvents({ ...emitted, events: [] })
  expect(received).toEqual([
    { ...emitted, events },
    { ...emitted, events: [] },
  ])
})

test('the list of recent events skips an event that cannot be read', async () => {
  const ring = createRing(10, 100_000)
  const client = await serve(eventsRpcs(deps({ ring })))
  const [first, second] = someEvents(2)
  if (!first || !second) return expect.unreachable('there are two')
  ring.push([first, unreadableEvent(), second])
  const { events: listed } = await client.listRecentEvents({ afterNumber: 0, instance: '' })
  expect(listed.map(({ number, envelope }) => [number, envelope])).toEqual([
    [1, first.json],
    [3, second.json],
  ])
})

test('a caller gets the events that are new to them, and all events of another instance', async () => {
  const ring = createRing(10, 100_000)
  const client = await serve(
    eventsRpcs(deps({ ring, plugins: () => [{ name: 'in_memory', healthy: true }] })),
  )
  const happened = someEvents(3)
  ring.push(happened)
  const list = async (afterNumber: number, instance: string) => {
    const { held, instance: answering, events } = await client.listRecentEvents({ afterNumber, instance })
    expect([held, answering]).toEqual([true, 'this-one'])
    return events.map(({ number, envelope }) => [number, envelope])
  }
  const all = happened.map(({ json }, index) => [index + 1, json])
  expect(await list(0, '')).toEqual(all)
  expect(await list(2, 'this-one')).toEqual(all.slice(2))
  expect(await list(2, 'another')).toEqual(all)
  expect(await client.getEventHealth({})).toEqual({
    enabled: true,
    plugins: [{ name: 'in_memory', healthy: true }],
  })
})
