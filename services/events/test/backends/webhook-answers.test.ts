import { describe, expect, test } from 'vitest'
import { deliveredOf } from '../../src/envelopes/backend.ts'
import { status } from './receiver.ts'
import { someEvents } from './some-events.ts'
import { deliverAll, idsOf, make, never, open, receivedIds, receiver, useReceiver } from './webhook-setup.ts'

useReceiver()

describe('an answer', () => {
  test.each([200, 201, 202, 204, 299])('%d means that the event is delivered', async (code) => {
    receiver.next.push(status(code))
    const { backend, refused } = open()
    expect(await backend.deliver(someEvents(1), never)).toBe(1)
    expect(refused).toEqual([])
    expect(backend.isHealthy()).toBe(true)
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('%d means that the event is sent again', async (code) => {
    receiver.next.push(status(code))
    const { backend, refused } = open()
    const events = someEvents(2)
    await expect(backend.deliver(events, never)).rejects.toThrow(`the receiver answered ${code}`)
    expect(backend.isHealthy()).toBe(false)
    expect(await backend.deliver(events, never)).toBe(2)
    expect(backend.isHealthy()).toBe(true)
    expect(receivedIds()).toEqual([idsOf(events)[0], ...idsOf(events)])
    expect(refused).toEqual([])
  })

  test.each([304, 400, 401, 403, 404, 410, 413, 422])(
    '%d means that it is refused, and the next has its turn',
    async (code) => {
      receiver.next.push(status(code))
      const { backend, refused } = open()
      const events = someEvents(2)
      expect(await backend.deliver(events, never)).toBe(2)
      expect(refused).toEqual([[idsOf(events)[0], `the receiver answered ${code}`]])
      expect(receivedIds()).toEqual(idsOf(events))
    },
  )

  test('that refuses an event says nothing against the receiver, unless it refuses ten in a row', async () => {
    receiver.next.push(...Array.from({ length: 9 }, () => status(422)))
    const { backend } = open()
    await backend.deliver(someEvents(9), never)
    expect(backend.isHealthy()).toBe(true)
    // One that is accepted, and then all are refused, as with a wrong secret.
    receiver.next.push(status(204), ...Array.from({ length: 9 }, () => status(401)))
    await backend.deliver(someEvents(10), never)
    expect(backend.isHealthy()).toBe(true)
    receiver.next.push(status(401))
    await backend.deliver(someEvents(1), never)
    expect(backend.isHealthy()).toBe(false)
    await backend.deliver(someEvents(1), never)
    expect(backend.isHealthy()).toBe(true)
  })

  test('that refuses an event shows that the receiver is back', async () => {
    receiver.next.push(status(503), status(422))
    const { backend } = open()
    const events = someEvents(1)
    await expect(backend.deliver(events, never)).rejects.toThrow('503')
    expect(backend.isHealthy()).toBe(false)
    expect(await backend.deliver(events, never)).toBe(1)
    expect(backend.isHealthy()).toBe(true)
  })

  test.each([301, 302, 303, 307, 308])('%d is not followed', async (code) => {
    receiver.next.push(status(code, { location: `${receiver.url}/elsewhere` }))
    const { backend, refused } = open()
    expect(await backend.deliver(someEvents(1), never)).toBe(1)
    expect(refused).toHaveLength(1)
    expect(backend.isHealthy()).toBe(false)
    expect(receiver.posts.map(({ path }) => path)).toEqual(['/hook'])
  })

  test('that is an error in the middle of a batch repeats no accepted event, and makes the next delivery wait', async () => {
    receiver.next.push(status(200), status(200), status(503))
    const { backend } = open()
    const events = someEvents(5)
    expect(await backend.deliver(events, never)).toBe(2)
    await expect(backend.deliver(events.slice(2), never)).rejects.toThrow('503')
    expect(receiver.posts).toHaveLength(3)
    expect(await backend.deliver(events.slice(2), never)).toBe(3)
    const ids = idsOf(events)
    expect(receivedIds()).toEqual([...ids.slice(0, 3), ...ids.slice(2)])
  })

  test.each([
    ['7', 7_000],
    [new Date(1_800_000_060_000).toUTCString(), 60_000],
    ['86400', 300_000],
  ])('with Retry-After %s makes the sender wait, at most 5 minutes', async (retryAfter, wait) => {
    const begin = 1_800_000_000_000
    let time = begin
    const { backend } = make({ now: () => time })
    receiver.next.push(status(429, { 'retry-after': retryAfter }))
    const events = someEvents(1)
    await expect(backend.deliver(events, never)).rejects.toThrow('429')
    time = begin + wait - 1
    await expect(backend.deliver(events, never)).rejects.toThrow('asked to wait')
    expect(receiver.posts).toHaveLength(1)
    time = begin + wait
    expect(await backend.deliver(events, never)).toBe(1)
  })

  test('with an invalid Retry-After causes no longer wait than any other', async () => {
    const { backend } = open()
    receiver.next.push(status(503, { 'retry-after': 'soon' }))
    await expect(backend.deliver(someEvents(1), never)).rejects.toThrow('503')
    expect(await backend.deliver(someEvents(1), never)).toBe(1)
  })

  test('with an endless body counts, and only its connection is closed', async () => {
    const { backend } = open()
    let pouring: NodeJS.Timeout | undefined
    receiver.next.push((response) => {
      response.writeHead(200)
      pouring = setInterval(() => response.write('x'.repeat(8_192)), 1)
      response.on('close', () => clearInterval(pouring))
    })
    const events = someEvents(3)
    expect(await backend.deliver(events, never)).toBe(3)
    expect(receivedIds()).toEqual(idsOf(events))
    pouring?.close()
  })

  test('whose body never arrives counts, too', async () => {
    const { backend } = open()
    receiver.next.push((response) => response.writeHead(200).flushHeaders())
    const events = someEvents(2)
    expect(await deliverAll(backend, events)).toBe(0)
    expect(receivedIds()).toEqual(idsOf(events))
  })
})

describe('a receiver', () => {
  test('that does not answer in time gets the event again', async () => {
    const { backend } = make({ timeoutMs: 150 })
    receiver.next.push(() => undefined)
    const events = someEvents(1)
    await expect(backend.deliver(events, never)).rejects.toThrow('did not answer within 0.15 s')
    expect(backend.isHealthy()).toBe(false)
    expect(await backend.deliver(events, never)).toBe(1)
    expect(receivedIds()).toEqual([...idsOf(events), ...idsOf(events)])
  })

  test('that does not answer does not keep the process from stopping', async () => {
    const { backend } = open()
    receiver.next.push(() => undefined)
    const stopping = new AbortController()
    const delivering = backend.deliver(someEvents(1), stopping.signal)
    while (receiver.posts.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stopping.abort()
    await expect(delivering).rejects.toThrow('ABORT_ERR')
  })

  test('that is slow gets events in short turns, so that accepted events are reported early', async () => {
    let time = 1_800_000_000_000
    const { backend } = make({
      now: () => {
        time += 30
        return time
      },
    })
    const events = someEvents(50)
    const first = deliveredOf(await backend.deliver(events, never), events).settled.size
    expect(first).toBeGreaterThan(1)
    expect(first).toBeLessThan(20)
    expect(receivedIds()).toEqual(idsOf(events).slice(0, first))
  })

  test('that resets the connection gets the event again', async () => {
    const { backend } = open()
    receiver.next.push((_response, { socket }) => socket.resetAndDestroy())
    const events = someEvents(1)
    await expect(backend.deliver(events, never)).rejects.toThrow('ECONNRESET')
    expect(backend.isHealthy()).toBe(false)
    expect(await backend.deliver(events, never)).toBe(1)
  })

  test('that closed the kept-alive connection is reached over a new one, without a failure', async () => {
    const { backend } = open()
    const events = someEvents(3)
    await backend.deliver(events.slice(0, 1), never)
    receiver.next.push((_response, { socket }) => socket.resetAndDestroy())
    expect(await backend.deliver(events.slice(1, 2), never)).toBe(1)
    receiver.hangUp()
    expect(await backend.deliver(events.slice(2), never)).toBe(1)
    expect(new Set(receivedIds())).toEqual(new Set(idsOf(events)))
  })

  test('that is down is reported without its URL', async () => {
    const url = 'http://user:password@127.0.0.1:1/secret-path?token=secret'
    const { backend } = open({ OAUTH2_EVENTS_WEBHOOK_URL: url })
    const failure = await backend.deliver(someEvents(1), never).catch((error: Error) => error)
    expect(failure).toMatchObject({ message: 'the server cannot be reached: ECONNREFUSED' })
    expect((failure as Error).cause).toBeUndefined()
    expect(backend.isHealthy()).toBe(false)
  })

  test('is noted, and so is that none came', async () => {
    receiver.next.push(status(204), status(422), status(503))
    const { backend, attempts } = open()
    const events = someEvents(3)
    await backend.deliver(events, never)
    await expect(backend.deliver(events.slice(2), never)).rejects.toThrow('503')
    const away = open({ OAUTH2_EVENTS_WEBHOOK_URL: 'http://127.0.0.1:1/hook' })
    const failure = 'the server cannot be reached: ECONNREFUSED'
    await expect(away.backend.deliver(events, never)).rejects.toThrow(failure)
    const [first, second, third] = idsOf(events)
    const [durationMs, at] = [expect.any(Number), expect.any(Number)]
    expect(attempts).toEqual([
      [first, { outcome: 'delivered', status: 204, failure: undefined, at, durationMs }],
      [second, { outcome: 'refused', status: 422, failure: 'the receiver answered 422', at, durationMs }],
      [third, { outcome: 'failed', status: 503, failure: 'the receiver answered 503', at, durationMs }],
    ])
    expect(away.attempts).toEqual([
      [first, { outcome: 'failed', status: undefined, failure, at, durationMs }],
    ])
  })
})
