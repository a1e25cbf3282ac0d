import { afterAll, describe, expect, test, vi } from 'vitest'
import { eventStream } from '../src/admin/event-stream.ts'
import { recentEvents } from '../src/admin/recent-events.ts'
import { administered, bySession, byToken } from './administrator.ts'
import { accept } from './browser.ts'
import { eventing } from './eventing.ts'
import { errorOf } from './gateway.ts'

const envelope = (number: number, more: object = {}) => ({
  event: {
    id: `0190f0a0-0000-7000-8000-${String(number).padStart(12, '0')}`,
    event_type: 'token_created',
    timestamp: '2030-01-01T00:00:00.000Z',
    severity: 'info',
    client_id: 'client_a',
    metadata: { nested: [{ deep: 1 }] },
  },
  producer: 'token',
  produced_at: new Date(Date.UTC(2030, 0, 1, 0, 0, number)).toISOString(),
  idempotency_key: `key-${number}`,
  attributes: {},
  ...more,
})
const outside = envelope(3, { producer: 'external' })

/** The events of one replica, which a test may add to. */
function ringOf(envelopes: object[], held = true) {
  const ring = [...envelopes]
  const ask = async () => [
    {
      held,
      instance: 'replica-1',
      events: ring.map((one, index) => ({ number: index + 1, envelope: JSON.stringify(one) })),
    },
  ]
  return { ring, recent: recentEvents({ ask, stopping: new AbortController().signal }) }
}
const away = recentEvents({ ask: async () => [undefined, undefined], stopping: new AbortController().signal })

const { ring, recent } = ringOf([envelope(1), envelope(2), outside])
const open = administered({ eventing: eventing({ recent }) })
const get = async (url: string) => (await open).send('GET', url, undefined, bySession)

describe('GET /admin/api/events', () => {
  const ids = async (query: string) =>
    JSON.parse((await get(`/admin/api/events${query}`)).text).items.map(
      ({ idempotency_key: key }: { idempotency_key: string }) => key.slice(-1),
    )

  test('lists what is held, whole, the newest first, and where the stream goes on', async () => {
    const answer = JSON.parse((await get('/admin/api/events')).text)
    expect(answer).toEqual({
      ...{ enabled: true, held: true, replicas: 1, answering: 1, cursor: 'replica-1:3' },
      items: [outside, envelope(2), envelope(1)],
    })
  })

  test('by type, by origin, and no more than is wanted', async () => {
    expect(await ids('?type=token_created')).toEqual(['3', '2', '1'])
    expect(await ids('?type=token')).toEqual([])
    expect(await ids('?origin=own')).toEqual(['2', '1'])
    expect(await ids('?origin=external')).toEqual(['3'])
    expect(await ids('?limit=1')).toEqual(['3'])
  })

  test.each(['limit=0', 'limit=1001', 'limit=x', 'origin=ours'])('%s is refused', async (query) => {
    const answer = await get(`/admin/api/events?${query}`)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })

  test('says when eventing is off, when none are held, and when nobody answers', async () => {
    const off = await (await administered()).send('GET', '/admin/api/events', undefined, byToken)
    expect(JSON.parse(off.text)).toMatchObject({ enabled: false, held: false, items: [] })
    const unheld = await administered({ eventing: eventing(ringOf([], false)) })
    const nothing = await unheld.send('GET', '/admin/api/events', undefined, byToken)
    expect(JSON.parse(nothing.text)).toMatchObject({ enabled: true, held: false, items: [] })
    const alone = await administered({ eventing: eventing({ recent: away }) })
    const failed = await alone.send('GET', '/admin/api/events', undefined, byToken)
    expect([failed.status, errorOf(failed)]).toEqual([503, 'temporarily_unavailable'])
  })
})

describe('GET /admin/events', () => {
  const page = async (url = '/admin/events', gate = open) =>
    (await (await gate).send('GET', url, undefined, { ...bySession, accept })).text

  test('marks what came from outside, and links only what is ours', async () => {
    const text = await page()
    expect(text.match(/from outside<\/span><\/span>/g)).toHaveLength(1)
    expect(text.match(/href="\/admin\/clients\/client_a"/g)).toHaveLength(2)
  })

  test('shows one in full, and says when it is not held any more', async () => {
    expect(await page(`/admin/events?event=${outside.event.id}`)).toContain('&quot;deep&quot;: 1')
    expect(await page('/admin/events?event=gone')).toContain('is not held any more')
  })

  test('says in words why there is nothing, and what to set', async () => {
    const of = (recent: ReturnType<typeof recentEvents>) => administered({ eventing: eventing({ recent }) })
    expect(await page(undefined, administered())).toContain('OAUTH2_EVENTS_ENABLED=true')
    expect(await page(undefined, of(ringOf([], false).recent))).toContain('OAUTH2_EVENTS_BACKEND')
    expect(await page(undefined, of(away))).toContain('The events service does not answer.')
  })
})

describe('GET /admin/api/events/stream', () => {
  const server = administered({
    eventing: eventing({ recent }),
  })
  afterAll(async () => (await server).app.close())

  test('is refused where eventing is off, and where it is to go on from nowhere', async () => {
    const off = await (await administered()).send('GET', '/admin/api/events/stream', undefined, byToken)
    expect([off.status, off.text]).toEqual([503, '{"error":"eventing_disabled"}'])
    const answer = await get('/admin/api/events/stream?after=nowhere')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  })

  test('has nothing for HEAD but its head', async () => {
    const answer = await (await open).send('HEAD', '/admin/api/events/stream', undefined, bySession)
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  })

  /** What a stream says until a text comes. */
  async function readUntil(reader: AsyncIterator<Uint8Array | string>, end: string): Promise<string> {
    let text = ''
    while (!text.includes(end)) {
      const { done, value } = await reader.next()
      if (done) break
      text += typeof value === 'string' ? value : new TextDecoder().decode(value)
    }
    return text
  }

  test('gives each event with an id that goes on behind it, as it comes', async () => {
    const { app } = await server
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    const stop = new AbortController()
    const watch = (headers: Record<string, string>) =>
      fetch(`${address}/admin/api/events/stream?after=replica-1:1`, {
        headers: { ...bySession, ...headers },
        signal: stop.signal,
      })
    const answer = await watch({})
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
    const reader = (answer.body as ReadableStream<Uint8Array>)[Symbol.asyncIterator]()
    const first = await readUntil(reader, 'key-3')
    expect(first).toContain('event: sources\ndata: {"replicas":1,"answering":1,"held":true}\n\n')
    expect(first).toContain(`id: replica-1:2\ndata: ${JSON.stringify(envelope(2))}\n\n`)
    expect(first).not.toContain('key-1')
    ring.push(envelope(4))
    expect(await readUntil(reader, 'key-4')).toContain('id: replica-1:4\n')
    const again = await watch({ 'last-event-id': 'replica-1:3' })
    const resumed = await readUntil(
      (again.body as ReadableStream<Uint8Array>)[Symbol.asyncIterator](),
      'key-4',
    )
    expect(resumed).not.toContain('key-3')
    stop.abort()
    // Who went is no failure, and how long he watched is nobody's latency.
    const { lines, send } = await server
    const requests = () => lines.filter(({ route }) => route === '/admin/api/events/stream')
    await expect.poll(requests).toHaveLength(2)
    expect(requests()[0]).toMatchObject({ status: 200 })
    expect(lines.filter(({ msg }) => /prematurely|error/i.test(String(msg)))).toEqual([])
    const { text } = await send('GET', '/metrics')
    expect(text).not.toMatch(/duration_seconds_count\{.*events\/stream/)
  })

  test('does not hold up the end of the server', async () => {
    const gate = await administered({ eventing: eventing({ recent }) })
    const address = await gate.app.listen({ port: 0, host: '127.0.0.1' })
    const answer = await fetch(`${address}/admin/api/events/stream`, { headers: bySession })
    const text = answer.text()
    await gate.app.close()
    expect(await text).toMatch(/^retry: /)
    expect(gate.lines.at(-1)).toMatchObject({ route: '/admin/api/events/stream', status: 200 })
  })

  test('ends when who watches may not go on', async () => {
    let still = true
    const { body } = eventStream({
      recent,
      position: new Map(),
      isStillIn: async () => still,
      checkEvery: 10,
    })
    const reader = body[Symbol.asyncIterator]()
    await readUntil(reader, 'key-1')
    still = false
    await readUntil(reader, 'never')
    expect(body.readableEnded).toBe(true)
  })

  test('says something every 15 seconds, for those between', async () => {
    vi.useFakeTimers()
    const { body, end } = eventStream({
      recent: { watch: () => () => undefined },
      position: undefined,
      isStillIn: async () => true,
    })
    vi.advanceTimersByTime(31_000)
    end()
    vi.useRealTimers()
    expect(await readUntil(body[Symbol.asyncIterator](), 'never')).toBe('retry: 1000\n\n:\n\n:\n\n')
  })
})

test('a logout is emitted, once there was a session', async () => {
  const gate = await administered()
  const logOut = (headers: Record<string, string>) => gate.send('POST', '/auth/logout', undefined, headers)
  await logOut({ ...bySession, 'sec-fetch-site': 'same-origin' })
  await logOut({ 'sec-fetch-site': 'same-origin' })
  expect(gate.asked('emit')).toEqual([{ type: 'user_logout', userId: 'user-2', metadata: {} }])
})
