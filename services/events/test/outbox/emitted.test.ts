import { expect, test } from 'vitest'
import type { EmittedEvent } from '../../src/envelopes/envelope.ts'
import { createReception } from '../../src/outbox/emitted.ts'
import { createRing } from '../../src/outbox/ring.ts'
import { issuer, ownEvent, someEnvelope, someEvents } from '../events.ts'

const emitter = '0190aaaa-bbbb-4ccc-8ddd-000000000000'
const happened = (changes: Partial<EmittedEvent> = {}): EmittedEvent => ({
  eventType: 'user_authentication_failed',
  timeMs: Date.parse('2026-01-01T00:00:00Z'),
  metadata: '{}',
  ...changes,
})
const start = () => createReception(issuer, () => Date.parse('2026-01-01T00:00:01Z'))

test('an event of our own has its severity, its trace and an id made from its emitter’s', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const [event] = start()({
    emitter,
    firstNumber: 255,
    producer: 'identity',
    events: [
      happened({ userId: 'u', error: 'wrong_password', metadata: '{"method":"password"}', traceparent }),
    ],
  })
  const id = '0190aaaa-bbbb-4ccc-8ddd-0000000000ff'
  expect(event?.envelope).toEqual({
    event: {
      id,
      event_type: 'user_authentication_failed',
      timestamp: '2026-01-01T00:00:00.000Z',
      severity: 'warning',
      user_id: 'u',
      error: 'wrong_password',
      metadata: { method: 'password' },
    },
    correlation_id: '0af7651916cd43dd8448eb211c80319c',
    producer: 'identity',
    produced_at: '2026-01-01T00:00:01.000Z',
    idempotency_key: id,
    traceparent,
    attributes: {},
  })
  expect(JSON.parse(event?.json ?? '')).toEqual(event?.envelope)
  expect(event?.attributes).toEqual({
    specversion: '1.0',
    id,
    type: 'user_authentication_failed',
    source: `${issuer}/identity`,
    time: '2026-01-01T00:00:00.000Z',
    datacontenttype: 'application/json',
    producer: 'identity',
    partitionkey: id,
    traceparent,
  })
})

test('events that are sent again, all or some of them, count once for each emitter', () => {
  const receive = start()
  const send = (firstNumber: number, count: number, who = emitter) =>
    receive({
      emitter: who,
      firstNumber,
      producer: 'token',
      events: Array.from({ length: count }, () => happened()),
    }).map(({ envelope }) => Number.parseInt(envelope.event.id.slice(-12), 16))
  expect(send(1, 3)).toEqual([1, 2, 3])
  expect(send(1, 3)).toEqual([])
  expect(send(2, 4)).toEqual([4, 5])
  // The events in between went to another replica.
  expect(send(9, 1)).toEqual([9])
  expect(send(1, 2, '0190aaaa-bbbb-4ccc-8ddd-111111111111'.replace(/1{12}$/, '000000000000'))).toEqual([])
  expect(send(1, 2, '1190aaaa-bbbb-4ccc-8ddd-000000000000')).toEqual([1, 2])
})

test('the ring holds the newest events and gives those after a number', () => {
  const ring = createRing(3, 100_000)
  const events = someEvents(10)
  const ids = (after: number) => ring.after(after).map(({ number, event }) => [number, event])
  for (const event of events) ring.push([event])
  expect(ids(0)).toEqual([8, 9, 10].map((number) => [number, events[number - 1]]))
  expect(ids(9)).toEqual([[10, events[9]]])
  expect(ids(10)).toEqual([])
})

test('the ring holds fewer events if they are large', () => {
  const ring = createRing(1_000, 200_000)
  const metadata = { text: 'x'.repeat(60_000) }
  for (let count = 0; count < 2_500; count += 1) {
    const envelope = someEnvelope()
    ring.push([ownEvent({ ...envelope, event: { ...envelope.event, metadata } })])
  }
  expect(ring.after(0).map(({ number }) => number)).toEqual([2_498, 2_499, 2_500])
})
