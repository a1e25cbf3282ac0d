import { describe, expect, test } from 'vitest'
import { ownFromElsewhere } from '../../src/outbox/own-events-elsewhere.ts'
import { type Answering, status } from '../backends/receiver.ts'
import { ownEvent } from '../events.ts'
import {
  eventOf,
  eventsOf,
  forgetKeys,
  ingest,
  outbox,
  receiver,
  silence,
  start,
  usersPosted,
  useWebhookWorld,
  waiting,
  wake,
} from '../webhooks/webhook-world.ts'

useWebhookWorld()

const isPoison = (user: string) => user.startsWith('poison')
const posted = (word: string) => usersPosted().filter((user) => user.startsWith(word))
const different = (users: readonly string[]) => new Set(users).size

/** Runs until something holds. @returns how many runs that took; the last one may still be under way */
async function runsUntil(holds: () => boolean, run: () => Promise<unknown>, most: number): Promise<number> {
  for (let runs = 1; runs <= most; runs += 1) {
    let ended = false
    void run().finally(() => {
      ended = true
    })
    while (!ended) {
      if (holds()) return runs
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  if (holds()) return most
  throw new Error(`not after ${most} runs and ${receiver.posts.length} posts`)
}

describe.each<[string, Answering]>([
  ['are answered 500', status(500)],
  ['are never answered', silence],
])('600 events that %s', { timeout: 60_000 }, (_name, bad) => {
  test.each([
    ['behind them', 600, 0],
    ['among them', 300, 300],
    ['before them', 0, 600],
  ])('keep none of 50 %s from being delivered', async (_place, before, after) => {
    const { round } = start(isPoison, bad)
    for (const events of [eventsOf('poison-a', before), eventsOf('user', 50), eventsOf('poison-b', after)])
      await ingest(events)
    await runsUntil(() => different(posted('user')) === 50, round, 10)
    expect(posted('user')).toHaveLength(50)
    expect(posted('poison').length).toBeLessThan(250)
  })

  test.each([
    ['behind them', 600, 0],
    ['among them', 300, 300],
    ['before them', 0, 600],
  ])('keep none of 50 %s from being delivered, all of them our own', async (_place, before, after) => {
    const { delivery, round } = start(isPoison, bad)
    for (const events of [eventsOf('poison-a', before), eventsOf('user', 50), eventsOf('poison-b', after)])
      delivery.offer(events.map((one) => ownEvent(one)))
    await runsUntil(() => different(posted('user')) === 50, round, 10)
    expect(posted('user')).toHaveLength(50)
    expect(posted('poison').length).toBeLessThan(250)
  })

  test('do not delay our own events', async () => {
    const { delivery, own, outside, runOf } = start(isPoison, bad, 2_000)
    await ingest(eventsOf('poison', 600))
    const ofOutside = runOf(outside)
    await expect.poll(() => posted('poison').length).toBe(8)
    delivery.offer(eventsOf('own', 50).map((one) => ownEvent(one)))
    await runOf(own)
    expect(posted('own')).toHaveLength(50)
    expect(posted('poison')).toHaveLength(8)
    await ofOutside
    // The pause of those from outside is theirs alone.
    expect(outside.pause()).toBeGreaterThanOrEqual(250)
    expect(own.pause()).toBe(50)
  })

  test('get few posts while nothing is accepted, with growing pauses, and stay in their order', async () => {
    const { round, outside } = start(() => true, bad)
    const events = eventsOf('user', 600)
    await ingest(events)
    const pauses: number[] = []
    for (let run = 1; run <= 5; run += 1) {
      await round()
      expect(receiver.posts).toHaveLength(8 * run)
      pauses.push(outside.pause())
    }
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(4_000)
    expect(await waiting()).toEqual(events.map(({ event }) => ({ name: event.user_id, later: null })))
  })
})

test('events that fail are set aside a few tries later, and are tried again', {
  timeout: 60_000,
}, async () => {
  let mended = false
  const { round } = start((user) => !mended && isPoison(user), status(500))
  await ingest(eventsOf('poison', 60))
  await expect
    .poll(
      async () => {
        await ingest(eventsOf('user', 1))
        await round()
        return (await waiting()).filter(({ later }) => later).length
      },
      { timeout: 30_000 },
    )
    .toBe(60)
  expect(posted('poison')).toHaveLength(3 * 60)
  mended = true
  await wake()
  await expect
    .poll(async () => [await round(), await waiting()], { timeout: 20_000 })
    .toEqual([undefined, []])
})

test('the events of each client stay in their order beside others that fail', {
  timeout: 60_000,
}, async () => {
  const { round } = start(isPoison, status(500))
  const numbers = Array.from({ length: 800 }, (_, index) => index)
  // Some of those that fail have clients of their own, so that nothing waits for them.
  await ingest(
    numbers.map((number) =>
      number % 3 === 0 ? eventOf(`poison-${number}`) : eventOf(`user-${number}`, `client-${number % 7}`),
    ),
  )
  await runsUntil(() => different(posted('user')) === 533, round, 20)
  for (let client = 0; client < 7; client += 1) {
    const ofClient = posted('user').filter((user) => Number(user.slice(5)) % 7 === client)
    expect(ofClient).toEqual(ofClient.toSorted((one, other) => Number(one.slice(5)) - Number(other.slice(5))))
  }
})

test('events for which the receiver asks to wait keep the others waiting only until it accepts one', async () => {
  const { round, outside } = start(isPoison, status(429, { 'retry-after': '200' }))
  await ingest(eventsOf('poison', 20))
  await round()
  expect(posted('poison')).toHaveLength(8)
  // Then one event a run, none of those for which it asked.
  await round()
  await round()
  expect(different(posted('poison'))).toBe(10)
  await ingest(eventsOf('user', 30))
  await runsUntil(() => different(posted('user')) === 30, round, 20)
  expect(posted('poison')).toHaveLength(different(posted('poison')))
  await round()
  await round()
  expect(outside.pause()).toBeGreaterThanOrEqual(250)
})

describe('from elsewhere in the outbox', () => {
  const names = async (after: string) =>
    (await outbox.fromElsewhere('webhook', after, [0, 0.5], [])).map(
      ({ json }) => JSON.parse(json).event.user_id,
    )
  const positionOf = async (index: number) => (await outbox.next('webhook', 500))[index]?.position ?? ''

  test('come the newest events, without those before which one of the same client or user waits', async () => {
    await ingest([eventOf('a', 'one'), eventOf('b', 'two'), eventOf('c')])
    await ingest([eventOf('d', 'one'), eventOf('a'), eventOf('e', 'three'), eventOf('e'), eventOf('f', 'a')])
    expect(await names(await positionOf(2))).toEqual(['e', 'f'])
  })

  test('come those of a client or user that has no order now, also behind others of it', async () => {
    await ingest([eventOf('a', 'one'), eventOf('b', 'one'), eventOf('a', 'two'), eventOf('c', 'one')])
    const after = await positionOf(0)
    const [first] = await outbox.next('webhook', 1)
    const [client = '', user = ''] = first?.parties ?? []
    const found = async (unordered: string[]) =>
      (await outbox.fromElsewhere('webhook', after, [], unordered)).map(({ json }) => {
        const { user_id, client_id } = JSON.parse(json).event
        return `${user_id} of ${client_id}`
      })
    expect(await found([])).toEqual([])
    expect(await found([client])).toEqual(['b of one', 'c of one'])
    expect(await found([user])).toEqual(['a of two'])
  })

  test('come none behind one of an older release until its client is known, which is read of 50 at once', async () => {
    await ingest([...eventsOf('older', 60), ...eventsOf('user', 2), eventOf('older-55'), eventOf('last')])
    const after = await positionOf(59)
    await forgetKeys(after)
    expect(await names(after)).toEqual([])
    expect(await names(after)).toEqual(['user-0', 'user-1', 'last'])
  })

  test('come those of our own in the same way', () => {
    const events = [
      ...eventsOf('user', 500),
      eventOf('user-7', 'one'),
      eventOf('a', 'one'),
      ...eventsOf('other', 98),
    ]
    const found = ownFromElsewhere(
      events.map((one) => ownEvent(one)),
      500,
      [0, 0.5],
      [],
    )
    const users = found.map(({ envelope }) => envelope.event.user_id)
    expect(users).toEqual([
      'other-0',
      'other-24',
      ...Array.from({ length: 50 }, (_, index) => `other-${index + 48}`),
    ])
  })

  test('come those of our own whose client has no order now, also behind others of it', () => {
    const events = [eventOf('a', 'one'), eventOf('b', 'one'), eventOf('a', 'two')].map((one) => ownEvent(one))
    const found = (unordered: string[]) =>
      ownFromElsewhere(events, 1, [], unordered).map(({ envelope }) => envelope.event.user_id)
    expect([found([]), found(['client one']), found(['user a'])]).toEqual([[], ['b'], ['a']])
  })

  test('come some from in between', async () => {
    await ingest(eventsOf('user', 300))
    const [first, second] = await names(await positionOf(99))
    expect([first, second]).toEqual(['user-100', 'user-176'])
  })
})
