import { randomUUID } from 'node:crypto'
import { createRpcClient, type RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import { EventsServiceService } from '@gatehouse/proto/events/v1'
import { logIn, submit } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addUser, password } from '../logins/login-people.ts'

const token = 'an-ingest-token-of-more-than-32-characters'
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

type Receipt = { status: string; idempotency_key: string; event_id: string }
type Envelope = {
  event: { id: string; event_type: string; user_id?: string; metadata: Record<string, unknown> }
  producer: string
  idempotency_key: string
  correlation_id?: string
  traceparent?: string
  attributes: Record<string, string>
}

let system: TestSystem
/** The events service, which has a backend in its memory. */
let events: RpcClient<typeof EventsServiceService>
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_EVENTS_ENABLED: 'true',
    OAUTH2_EVENTS_INGEST_TOKEN: token,
  })
  await untilReady(system)
  const service = system.processes.find(({ name }) => name === 'events')
  events = createRpcClient(EventsServiceService, `127.0.0.1:${service?.grpcPort}`, 5_000)
})
afterAll(async () => {
  events?.close()
  await system?.stop()
})

const authorization = `Bearer ${token}`
const send = (body: string | undefined, headers: Record<string, string> = {}) =>
  system.request('/events/ingest', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  })

async function ingest(body: unknown, headers: Record<string, string> = {}): Promise<Receipt> {
  const answer = await send(body === undefined ? undefined : JSON.stringify(body), headers)
  expect(answer.status).toBe(202)
  const receipt = (await answer.json()) as Receipt
  expect(Object.keys(receipt).sort()).toEqual(['event_id', 'idempotency_key', 'status'])
  expect(receipt.event_id).toMatch(uuid)
  return receipt
}

async function newest(): Promise<Envelope[]> {
  const recent = await events.listRecentEvents({ afterNumber: 0, instance: '' })
  return recent.events.map(({ envelope }) => JSON.parse(envelope) as Envelope)
}

/** Waits until an event is delivered, and returns it. */
async function delivered(id: string): Promise<Envelope> {
  const found = async () => (await newest()).filter(({ event }) => event.id === id)
  await expect.poll(found, { timeout: 10_000, interval: 100 }).toHaveLength(1)
  return (await found())[0] as Envelope
}

const envelope = { event: { event_type: 'order_paid', user_id: 'ann', metadata: { amount: 4200 } } }

describe('an event from outside', () => {
  test('is accepted once by its key, whatever is sent with it, and delivered', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const first = await ingest(envelope, key)
    expect(first).toMatchObject({ status: 'accepted', idempotency_key: key['idempotency-key'] })
    const later = await ingest({ event: { event_type: 'another' } }, key)
    expect(later).toEqual({ ...first, status: 'duplicate' })
    expect(await delivered(first.event_id)).toMatchObject({ ...envelope, producer: 'external' })
  })

  test('is accepted once when many arrive with the same key at once', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const receipts = await Promise.all(Array.from({ length: 50 }, () => ingest(envelope, key)))
    expect(receipts.filter(({ status }) => status === 'accepted')).toHaveLength(1)
    expect(new Set(receipts.map(({ event_id }) => event_id)).size).toBe(1)
    await delivered(receipts[0]?.event_id ?? '')
  })

  test('is identified by the header’s key, else its own key, else its id', async () => {
    const [header, own, id] = [randomUUID(), randomUUID(), randomUUID()]
    const event = { ...envelope.event, id }
    const all = { event, idempotency_key: own }
    expect((await ingest(all, { 'idempotency-key': header })).idempotency_key).toBe(header)
    expect(await ingest(all)).toMatchObject({ status: 'accepted', idempotency_key: own })
    expect(await ingest({ event })).toEqual({ status: 'accepted', idempotency_key: id, event_id: id })
    expect((await ingest({ event })).status).toBe('duplicate')
    const [one, other] = [await ingest(envelope), await ingest(envelope)]
    expect([one.status, other.status]).toEqual(['accepted', 'accepted'])
    expect(one.idempotency_key).toBe(one.event_id)
  })

  test('keeps the trace and the id of its request', async () => {
    const { event_id } = await ingest(envelope, { traceparent, 'x-request-id': 'req-7' })
    expect(await delivered(event_id)).toMatchObject({ traceparent, correlation_id: 'req-7' })
  })

  test('is marked as external even with the name of an internal event', async () => {
    const { event_id } = await ingest({ event: { event_type: 'token_created' }, producer: 'token' })
    expect((await delivered(event_id)).producer).toBe('external')
  })
})

describe('a CloudEvent', () => {
  const source = `https://shop.example/${randomUUID()}`

  test('in the JSON format is identified by its source and id', async () => {
    const event = { specversion: '1.0', id: '1', source, type: 'order_paid', data: { amount: 1 } }
    const type = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
    const first = await ingest(event, type)
    expect(first.status).toBe('accepted')
    expect(await ingest(event, type)).toMatchObject({ status: 'duplicate', event_id: first.event_id })
    expect((await ingest({ ...event, source: `${source}/other` }, type)).status).toBe('accepted')
    expect(await delivered(first.event_id)).toMatchObject({
      event: { event_type: 'order_paid', metadata: { amount: 1 } },
      attributes: { source, id: '1' },
    })
  })

  test('in binary mode is the same event', async () => {
    const headers = {
      'ce-specversion': '1.0',
      'ce-id': 'b-1',
      'ce-source': source,
      'ce-type': 'order_paid',
      'ce-subject': 'caf%C3%A9',
    }
    const first = await ingest({ amount: 1 }, headers)
    const structured = { specversion: '1.0', id: 'b-1', source, type: 'order_paid' }
    expect(await ingest(structured)).toEqual({ ...first, status: 'duplicate' })
    expect(await delivered(first.event_id)).toMatchObject({
      event: { event_type: 'order_paid', metadata: { amount: 1 } },
      attributes: { source, subject: 'café' },
    })
  })

  test('in binary mode may have no data', async () => {
    const headers = { 'ce-specversion': '1.0', 'ce-id': 'b-2', 'ce-source': source, 'ce-type': 'order_paid' }
    const { event_id } = await ingest(undefined, headers)
    expect((await delivered(event_id)).event.metadata).toEqual({})
  })
})

describe('an invalid event', () => {
  test.each([
    ['', {}],
    ['{', {}],
    ['[]', {}],
    ['null', {}],
    ['{}', {}],
    ['{"event":{}}', {}],
    ['{"event":{"event_type":""}}', {}],
    ['{"event":{"event_type":"a","timestamp":"yesterday"}}', {}],
    ['{"event":{"event_type":"a","severity":"fatal"}}', {}],
    ['{"specversion":"0.3","id":"1","source":"/","type":"a"}', {}],
    ['{"event":{"event_type":"a"}}', { 'idempotency-key': 'k'.repeat(300) }],
    ['{"event":{"event_type":"a"}}', { 'ce-id': '1' }],
    ['{}', { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/', 'ce-type': '%C0%A0' }],
    ['[]', { 'content-type': 'application/cloudevents-batch+json' }],
    ['a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('%s with %o is refused', async (body, headers) => {
    await expectRefusal(await send(body, headers as Record<string, string>), 400, 'invalid_request')
  })

  test('larger than 64 KiB is refused', async () => {
    const body = JSON.stringify(envelope).padEnd(65_537)
    await expectRefusal(await send(body), 413, 'invalid_request')
  })
})

describe('a sender', () => {
  test.each(['', 'Bearer', `Bearer ${token}x`, `Basic ${btoa(`a:${token}`)}`])(
    'is refused with %j instead of the token',
    async (authorization) => {
      const answer = await send(JSON.stringify(envelope), { authorization })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
      await expectRefusal(answer, 401, 'invalid_token')
    },
  )

  test('is named in the event, but cannot pass as an internal service', async () => {
    const { event_id } = await ingest({ ...envelope, producer: 'shop' })
    expect((await delivered(event_id)).producer).toBe('shop')
  })
})

test('lists the backends in the health answer', async () => {
  expect(await (await system.request('/events/health')).json()).toEqual({
    enabled: true,
    plugins: [{ name: 'in_memory', healthy: true }],
  })
})

test('emits an internal event for a logout', async () => {
  const username = 'the-one-who-leaves'
  await addUser(system, username)
  const jar = await logIn(system, username, password)
  await submit(system, jar, '/auth/logout', {})
  const ownLogouts = async () =>
    (await newest()).filter(
      ({ event, producer }) => event.event_type === 'user_logout' && producer !== 'external',
    )
  await expect
    .poll(ownLogouts, { timeout: 10_000 })
    .toMatchObject([{ producer: 'gateway', event: { user_id: expect.stringMatching(uuid) } }])
})
