import { describe, expect, test } from 'vitest'
import type { Envelope } from '../../src/envelopes/envelope.ts'
import { readSubmission, type Submission } from '../../src/outbox/submission.ts'
import { someSubmission } from '../events.ts'

const made = '01990000-0000-4000-8000-000000000001'
const deps = { now: () => Date.parse('2026-01-02T03:04:05.678Z'), randomUuid: () => made }
const read = (body: unknown, changes: Partial<Submission> = {}) => {
  const taken = readSubmission(someSubmission(body, changes), deps)
  const envelope: Envelope = JSON.parse(taken.json)
  return { ...taken, envelope }
}
const refusalOf = (body: unknown, changes: Partial<Submission> = {}): string => {
  try {
    read(body, changes)
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_request' })
    return (error as { description: string }).description
  }
  throw new Error('it was taken')
}
/** JSON objects and arrays, alternately nested to this depth. */
const nested = (levels: number): string =>
  levels === 0 ? '1' : levels % 2 === 0 ? `{"a":${nested(levels - 1)}}` : `[${nested(levels - 1)}]`
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const other = '00-11111111111111111111111111111111-2222222222222222-01'

describe('an envelope', () => {
  test('needs only a type; the rest has defaults', () => {
    const envelope = {
      event: {
        id: made,
        event_type: 'order_placed',
        timestamp: '2026-01-02T03:04:05.678Z',
        severity: 'info',
        metadata: {},
      },
      producer: 'external',
      produced_at: '2026-01-02T03:04:05.678Z',
      idempotency_key: made,
      attributes: {},
    }
    const taken = readSubmission(someSubmission({ event: { event_type: 'order_placed' } }), deps)
    expect(taken).toEqual({
      ...{ identity: made, eventId: made, idempotencyKey: made },
      ...{ json: JSON.stringify(envelope), parties: {} },
    })
  })

  test('keeps all fields that the sender gives', () => {
    const event = {
      id: '0190AAAA-0000-7000-8000-00000000000A',
      event_type: 'order_placed',
      timestamp: '2026-01-01T00:00:00+02:00',
      severity: 'warning',
      user_id: 'u',
      client_id: 'c',
      error: 'e',
      metadata: { deep: { a: [1] } },
    }
    const { envelope } = read({
      event,
      correlation_id: 'request-1',
      idempotency_key: 'key-1',
      traceparent,
      tracestate: 'a=b',
      attributes: { colour: 'red', count: 3, good: true },
    })
    expect(envelope).toEqual({
      event: { ...event, id: event.id.toLowerCase() },
      correlation_id: 'request-1',
      producer: 'external',
      produced_at: '2026-01-02T03:04:05.678Z',
      idempotency_key: 'key-1',
      traceparent,
      tracestate: 'a=b',
      attributes: { colour: 'red', count: '3', good: 'true' },
    })
  })

  test.each([
    ['the header', { idempotencyKey: 'header' }, { idempotency_key: 'envelope' }, { id: 'caller' }, 'header'],
    ['the envelope', {}, { idempotency_key: 'envelope' }, { id: 'caller' }, 'envelope'],
    ['the id', {}, {}, { id: 'caller' }, 'caller'],
    ['nobody', {}, {}, {}, made],
  ])('has the key that %s says', (_, changes, outer, inner, key) => {
    const { envelope, identity } = read({ event: { event_type: 't', ...inner }, ...outer }, changes)
    expect([envelope.idempotency_key, identity]).toEqual([key, key])
    expect(envelope.event.id).toBe(made)
    expect(envelope.attributes).toEqual('id' in inner ? { id: 'caller' } : {})
  })

  test('belongs to the trace that it names, or else to the request’s', () => {
    const request = { traceparent: other, tracestate: 'x=y' }
    const event = { event_type: 't' }
    expect(read({ event, traceparent }, request).envelope).toMatchObject({ traceparent })
    expect(read({ event, traceparent }, request).envelope).not.toHaveProperty('tracestate')
    expect(read({ event }, request).envelope).toMatchObject({ traceparent: other, tracestate: 'x=y' })
    expect(read({ event, traceparent: 'nonsense' }, request).envelope).toMatchObject({ traceparent: other })
  })

  test('names its producer only when the sender presented the ingest token, and never one of our services', () => {
    const body = (producer: string) => ({ event: { event_type: 'token_created' }, producer })
    const producerOf = (producer: string, senderProven: boolean) =>
      read(body(producer), { senderProven }).envelope.producer
    expect(producerOf('shop', true)).toBe('shop')
    expect(producerOf('shop', false)).toBe('external')
    for (const own of ['gateway', 'token', 'client-registry', 'identity', 'events'])
      expect(producerOf(own, true)).toBe('external')
  })

  test.each([
    ['The body is not JSON.', '{'],
    ['The body must be a JSON object.', '[]'],
    ['The body must be a JSON object.', 'null'],
    ['event must be a JSON object.', {}],
    ['event.event_type must be', { event: {} }],
    ['event.event_type must be', { event: { event_type: '' } }],
    ['event.event_type must be', { event: { event_type: 'a\nb' } }],
    ['event.event_type must be', { event: { event_type: 'x'.repeat(256) } }],
    ['event.severity must be one of info, warning, error', { event: { event_type: 't', severity: 'fatal' } }],
    ['event.timestamp must be a time', { event: { event_type: 't', timestamp: '2026-13-01T00:00:00Z' } }],
    ['event.timestamp must be a time', { event: { event_type: 't', timestamp: '2026-02-30T00:00:00Z' } }],
    ['event.timestamp must be a time', { event: { event_type: 't', timestamp: '2026-01-01T24:00:00Z' } }],
    ['event.timestamp must be a time', { event: { event_type: 't', timestamp: 1 } }],
    ['event.metadata must be a JSON object.', { event: { event_type: 't', metadata: [] } }],
    ['attributes: deep must be a text.', { event: { event_type: 't' }, attributes: { deep: {} } }],
    ['attributes.source must be', { event: { event_type: 't' }, attributes: { source: 'x'.repeat(256) } }],
    ['attributes.source must be a URI', { event: { event_type: 't' }, attributes: { source: 'my shop' } }],
    [
      'attributes.subject must be',
      { event: { event_type: 't' }, attributes: { subject: 'x'.repeat(2_001) } },
    ],
    ['attributes.subject must be', { event: { event_type: 't' }, attributes: { subject: 'a\nb' } }],
    ['idempotency_key must be', { event: { event_type: 't' }, idempotency_key: 'k'.repeat(256) }],
    ['event.user_id must be', { event: { event_type: 't', user_id: '\ud800' } }],
  ])('is refused with: %s (%j)', (description, body) => {
    expect(refusalOf(body)).toContain(description)
  })

  test.each([
    ['source', 'x'.repeat(256)],
    ['source', ''],
    ['subject', 'x'.repeat(2_001)],
    ['subject', 'a\nb'],
  ])('is refused with an attribute %s that no header could carry', (name, value) => {
    const body = { event: { event_type: 't' }, attributes: { [name]: value } }
    expect(refusalOf(body)).toContain(`attributes.${name} must be`)
  })

  test('may have metadata that is nested 64 levels deep, and no deeper', () => {
    const body = (levels: number) => `{"event":{"event_type":"t","metadata":${nested(levels)}}}`
    expect(read(body(64)).envelope.event.metadata).toEqual(JSON.parse(nested(64)))
    for (const levels of [66, 6_000])
      expect(refusalOf(body(levels))).toBe('event.metadata must not be nested more than 64 levels deep.')
  })

  test('is refused if its numbers become much longer than they were sent', () => {
    const numbers = (count: number) =>
      `{"event":{"event_type":"t","metadata":{"a":[${Array(count).fill('1e20').join()}]}}}`
    expect(read(numbers(5_000)).json.length).toBeGreaterThan(100_000)
    expect(refusalOf(numbers(10_000))).toBe('The event must have at most 131072 characters as JSON.')
  })

  test('is refused with a key that is too long', () => {
    const body = { event: { event_type: 't' } }
    expect(refusalOf(body, { idempotencyKey: 'k'.repeat(256) })).toContain('Idempotency-Key must be')
  })
})

describe('a CloudEvent', () => {
  const required = { specversion: '1.0', id: 'order-1', source: '/shop', type: 'shop.order' }

  test('in the JSON format becomes an envelope', () => {
    const body = {
      ...required,
      time: '2026-01-01T00:00:00Z',
      subject: 'orders/1',
      data: { total: 5 },
      traceparent,
      extra: 7,
    }
    const { envelope, identity } = read(body, { contentType: 'application/cloudevents+json' })
    expect(envelope).toEqual({
      event: {
        id: made,
        event_type: 'shop.order',
        timestamp: '2026-01-01T00:00:00Z',
        severity: 'info',
        metadata: { total: 5 },
      },
      producer: 'external',
      produced_at: '2026-01-02T03:04:05.678Z',
      idempotency_key: 'order-1',
      traceparent,
      attributes: { source: '/shop', subject: 'orders/1', extra: '7', id: 'order-1' },
    })
    expect(read(body).envelope).toEqual(envelope)
    expect(identity).toBe('/shop\norder-1')
  })

  test('is about its source and subject, and no order holds for an event that names nothing', () => {
    const partiesOf = (body: unknown) => read(body).parties
    expect(partiesOf({ ...required, subject: 'orders/1' })).toEqual({
      client: '/shop\norders/1',
      user: undefined,
    })
    expect(partiesOf(required)).toEqual({ client: '/shop\n', user: undefined })
    const event = { event_type: 't' }
    const attributes = { source: '/shop' }
    expect(partiesOf({ event, attributes })).toEqual({ client: '/shop\n', user: undefined })
    expect(partiesOf({ event, attributes: { subject: 'orders/1' } })).toEqual({
      client: undefined,
      user: undefined,
    })
    expect(partiesOf({ event: { ...event, user_id: 'ann' }, attributes })).toEqual({
      client: undefined,
      user: 'ann',
    })
    expect(partiesOf({ event: { ...event, client_id: 'app' }, attributes })).toEqual({
      client: 'app',
      user: undefined,
    })
  })

  test('is identified by its source and id, unless the header has a key', () => {
    expect(read({ ...required, source: '/warehouse' }).identity).not.toBe(read(required).identity)
    expect(read(required, { idempotencyKey: 'mine' }).identity).toBe('mine')
  })

  test('has the body as its data when its attributes are headers', () => {
    const { envelope } = read([1, 2], { cloudEventAttributes: { ...required, datacontenttype: 'x' } })
    expect(envelope.event).toMatchObject({ event_type: 'shop.order', metadata: { data: [1, 2] } })
    expect(envelope.attributes).toMatchObject({ source: '/shop' })
  })

  test('has its source as producer when the sender presented the ingest token', () => {
    expect(read(required, { senderProven: true }).envelope.producer).toBe('/shop')
  })

  test.each([
    ['specversion must be 1.0.', { ...required, specversion: '0.3' }],
    ['id must be', { ...required, id: undefined }],
    ['source must be', { ...required, source: '' }],
    ['source must be a URI', { ...required, source: 'my shop' }],
    ['source must be a URI', { ...required, source: 'https://shop.example/%zz' }],
    ['type must be', { ...required, type: 5 }],
    ['time must be a time', { ...required, time: 'today' }],
    ['An extension: deep must be a text.', { ...required, deep: [] }],
    ['subject must be', { ...required, subject: 'x'.repeat(2_001) }],
    ['data must not be nested', { ...required, data: JSON.parse(nested(65)) }],
    ['data_base64 must not be nested', { ...required, data_base64: JSON.parse(nested(65)) }],
  ])('is refused with: %s', (description, body) => {
    expect(refusalOf(body)).toContain(description)
  })

  test('is refused when a required header is missing', () => {
    expect(refusalOf({}, { cloudEventAttributes: { id: '1' } })).toContain('specversion must be 1.0.')
  })
})
