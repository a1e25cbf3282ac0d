import { Refusal } from '@gatehouse/kit/errors'
import type { Submission } from '@gatehouse/proto/events/v1'
import { beforeEach, describe, expect, test } from 'vitest'
import { errorOf, gateway } from '../../testing/gateway.ts'
import { eventId, eventing } from './eventing.ts'

const envelope = { event: { event_type: 'order_paid' } }
const token = 'an ingest token of more than 32 characters'.replaceAll(' ', '-')
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

let taken: Submission[] = []
beforeEach(() => {
  taken = []
})
const ingest = async (submission: Submission) => {
  taken.push(submission)
  return { duplicate: taken.length > 1, idempotencyKey: 'the key', eventId }
}
const open = gateway({ eventing: eventing({ ingest }) })
const closed = gateway({ eventing: eventing({ ingest, ingestToken: token }) })

async function send(body: unknown, headers: Record<string, string> = {}) {
  return (await open).send('POST', '/events/ingest', body, { 'content-type': 'application/json', ...headers })
}

describe('an event from outside', () => {
  test('is answered 202 with its outcome, the first time and for a repetition', async () => {
    const accepted = await send(envelope)
    expect([accepted.status, JSON.parse(accepted.text)]).toEqual([
      202,
      { status: 'accepted', idempotency_key: 'the key', event_id: eventId },
    ])
    expect(accepted.headers['cache-control']).toBe('no-store')
    expect(JSON.parse((await send(envelope)).text).status).toBe('duplicate')
  })

  test('is passed on unchanged', async () => {
    const body = ' {"event": {"event_type": "order_paid"}} '
    await send(body, { 'content-type': 'Application/JSON; charset=utf-8', 'idempotency-key': 'k-1' })
    expect(taken).toEqual([
      {
        contentType: 'application/json',
        body,
        idempotencyKey: 'k-1',
        cloudEventAttributes: {},
        senderProven: false,
      },
    ])
  })

  test('has no key if the header is empty', async () => {
    await send(envelope, { 'idempotency-key': '' })
    expect(taken).toMatchObject([{ idempotencyKey: undefined }])
  })

  test('belongs to the trace of its request, whose id correlates it with logs unless the request has an id', async () => {
    await send(envelope, { traceparent, tracestate: 'vendor=1' })
    await send(envelope, { traceparent, 'x-request-id': 'req-7' })
    await send(envelope, { traceparent: `cc${traceparent.slice(2)}-what-comes-later` })
    expect(taken).toMatchObject([
      { traceparent, tracestate: 'vendor=1', correlationId: '0af7651916cd43dd8448eb211c80319c' },
      { traceparent, tracestate: undefined, correlationId: 'req-7' },
      { traceparent },
    ])
  })

  test.each([
    ['a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }],
    ['a malformed traceparent', { traceparent: 'yes' }],
    ['a tracestate without a traceparent', { tracestate: 'vendor=1' }],
    ['an id that is too long', { 'x-request-id': 'x'.repeat(300) }],
  ])('has no trace or id if the request has %s', async (_, headers) => {
    await send(envelope, headers as Record<string, string>)
    expect(taken).toMatchObject([{ traceparent: undefined, tracestate: undefined, correlationId: undefined }])
  })

  test('is refused with the events service’s error', async () => {
    const refusing = async () => {
      throw new Refusal('invalid_request', 'event.event_type must be a text.')
    }
    const { send } = await gateway({ eventing: eventing({ ingest: refusing }) })
    const answer = await send('POST', '/events/ingest', envelope)
    expect([answer.status, errorOf(answer), JSON.parse(answer.text).error_description]).toEqual([
      400,
      'invalid_request',
      'event.event_type must be a text.',
    ])
  })

  test.each([
    ['temporarily_unavailable', 503],
    ['eventing_disabled', 503],
  ] as const)('is refused while the service answers %s', async (code, status) => {
    const refusing = async () => {
      throw new Refusal(code)
    }
    const { send } = await gateway({ eventing: eventing({ ingest: refusing }) })
    const answer = await send('POST', '/events/ingest', envelope)
    expect([answer.status, JSON.parse(answer.text).error]).toEqual([status, code])
  })

  test.each([
    ['application/cloudevents-batch+json', '[]'],
    ['text/plain', '{}'],
    ['application/x-www-form-urlencoded', 'a=b'],
    ['application/xml', '<a/>'],
  ])('of the media type %s is refused, and the error lists the supported types', async (type, body) => {
    const answer = await send(body, { 'content-type': type })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain('application/cloudevents+json')
    expect(taken).toEqual([])
  })

  test('of more than 64 KiB is 413', async () => {
    const filled = (size: number) => JSON.stringify(envelope).padEnd(size)
    const answer = await send(filled(65_537))
    expect([answer.status, errorOf(answer)]).toEqual([413, 'invalid_request'])
    expect((await send(filled(65_536))).status).toBe(202)
  })

  test('is refused if it is empty', async () => {
    const { send } = await open
    const answer = await send('POST', '/events/ingest')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })
})

describe('a CloudEvent', () => {
  const attributes = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-type': 'order_paid', 'ce-source': '/shop' }

  test('in binary mode has its attributes in headers, decoded as the HTTP binding says', async () => {
    await send(
      { amount: 1 },
      {
        ...attributes,
        'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80',
        'ce-comment': '"a \\"quoted\\" %22text%22"',
        'ce-not-an-attribute': 'x',
        'ce-data': 'x',
        'CE-Upper': 'Y',
      },
    )
    expect(taken[0]?.cloudEventAttributes).toEqual({
      specversion: '1.0',
      id: '1',
      type: 'order_paid',
      source: '/shop',
      subject: 'Euro € 😀',
      comment: 'a "quoted" "text"',
      upper: 'Y',
    })
    expect(taken[0]?.body).toBe('{"amount":1}')
  })

  test('in binary mode may have no data', async () => {
    const { send } = await open
    expect((await send('POST', '/events/ingest', undefined, attributes)).status).toBe(202)
    expect(taken).toMatchObject([{ contentType: '', body: '', cloudEventAttributes: { id: '1' } }])
  })

  test.each(['%C0%A0', '%', '%zz', '%ED%A0%80'])(
    'with %s in a header, which is not UTF-8, is refused',
    async (value) => {
      const answer = await send({}, { ...attributes, 'ce-subject': value })
      expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
      expect(JSON.parse(answer.text).error_description).toContain('ce-subject')
      expect(taken).toEqual([])
    },
  )

  test('in the JSON format has its attributes in the body, and headers are ignored', async () => {
    await send({ specversion: '1.0' }, { ...attributes, 'content-type': 'application/cloudevents+json' })
    expect(taken).toMatchObject([{ contentType: 'application/cloudevents+json', cloudEventAttributes: {} }])
  })
})

describe('with an ingest token', () => {
  test.each([
    ['no token', {}, ''],
    ['an empty token', { authorization: 'Bearer ' }, ''],
    ['another token', { authorization: `Bearer ${token}x` }, ', error="invalid_token"'],
    ['HTTP Basic', { authorization: `Basic ${btoa(`a:${token}`)}` }, ''],
  ])('a sender with %s is refused before the body is read', async (_, headers, error) => {
    const { send } = await closed
    for (const body of [envelope, 'x'.repeat(100_000)]) {
      const answer = await send('POST', '/events/ingest', body, headers as Record<string, string>)
      expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_token'])
      expect(answer.headers['www-authenticate']).toBe(`Bearer realm="gatehouse"${error}`)
    }
    expect(taken).toEqual([])
  })

  test('a sender with the token is authenticated', async () => {
    const { send } = await closed
    const answer = await send('POST', '/events/ingest', envelope, { authorization: `Bearer ${token}` })
    expect(answer.status).toBe(202)
    expect(taken).toMatchObject([{ senderProven: true }])
  })

  test('a token does not authenticate if none is configured', async () => {
    await send(envelope, { authorization: `Bearer ${token}` })
    expect(taken).toMatchObject([{ senderProven: false }])
  })
})

describe('GET /events/health', () => {
  test('shows the events service’s answer', async () => {
    const { send } = await open
    const answer = await send('GET', '/events/health')
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      { enabled: true, plugins: [{ name: 'in_memory', healthy: true }] },
    ])
  })

  test('is 503 while the service is away', async () => {
    const getEventHealth = async () => {
      throw new Refusal('temporarily_unavailable')
    }
    const { send } = await gateway({ eventing: eventing({ events: { getEventHealth } }) })
    const answer = await send('GET', '/events/health')
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
  })
})
