import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type RecentEvent, readPosition, writePosition } from '../src/admin/event-order.ts'
import { type ReplicaAnswer, recentEvents, type Sources } from '../src/admin/recent-events.ts'

/** Replicas of the events service that a test gives events to. */
function start(names: string[]) {
  const rings = new Map(names.map((name) => [name, [] as { number: number; envelope: string }[]]))
  const away = new Set<string>()
  const asked: Record<string, number>[] = []
  const happen = (name: string, id: string, second: number) => {
    const ring = rings.get(name) ?? expect.unreachable('no such replica')
    const produced_at = new Date(second * 1000).toISOString()
    ring.push({
      number: ring.length + 1,
      envelope: JSON.stringify({ event: { id }, producer: 'token', produced_at }),
    })
  }
  const stopping = new AbortController()
  const recent = recentEvents({
    stopping: stopping.signal,
    async ask(known) {
      asked.push(Object.fromEntries(known))
      return [...rings].map(([instance, ring]): ReplicaAnswer | undefined => {
        if (away.has(instance)) return undefined
        const events = ring.filter(({ number }) => number > (known.get(instance) ?? 0))
        return { held: true, instance, events }
      })
    },
  })
  return { recent, happen, rings, away, asked, stopping }
}

/** Somebody who watches, and what he is told. */
function watcher(position?: Map<string, number>) {
  const seen: { ids: string[]; sources: Sources[]; ready: boolean } = { ids: [], sources: [], ready: true }
  return {
    ...{ seen, position },
    isReady: () => seen.ready,
    take: ({ envelope }: RecentEvent) => void seen.ids.push(envelope.event.id),
    see: (sources: Sources) => void seen.sources.push(sources),
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const second = () => vi.advanceTimersByTimeAsync(1_000)

describe('the newest events', () => {
  test('of all replicas are one list in the order of time', async () => {
    const { recent, happen } = start(['a', 'b'])
    for (const [name, id, at] of [
      ['a', '1', 1],
      ['a', '4', 4],
      ['b', '2', 2],
      ['b', '3', 3],
    ] as const)
      happen(name, id, at)
    const { events, position } = await recent.read()
    expect(events.map(({ envelope }) => envelope.event.id)).toEqual(['1', '2', '3', '4'])
    expect(Object.fromEntries(position)).toEqual({ a: 2, b: 2 })
  })

  test('of one replica stay in its own order, even if it had some later than others', async () => {
    const { recent, happen } = start(['a'])
    happen('a', 'late', 9)
    happen('a', 'early', 1)
    const { events } = await recent.read()
    expect(events.map(({ envelope }) => envelope.event.id)).toEqual(['late', 'early'])
  })

  test('of one process that answers at two addresses are there once', async () => {
    const envelope = JSON.stringify({ event: { id: '1' }, produced_at: '' })
    const answer = { held: true, instance: 'a', events: [{ number: 1, envelope }] }
    const recent = recentEvents({
      ask: async () => [answer, answer],
      stopping: new AbortController().signal,
    })
    expect((await recent.read()).events).toHaveLength(1)
  })

  test('are those of the replicas that answer, and how many do not is told', async () => {
    const { recent, happen, away } = start(['a', 'b'])
    happen('a', '1', 1)
    happen('b', '2', 2)
    away.add('b')
    expect(await recent.read()).toMatchObject({
      events: [{ instance: 'a' }],
      sources: { replicas: 2, answering: 1, held: true },
    })
  })
})

describe('watching', () => {
  test('shows what happens from now on, each event once, to everybody by one question a second', async () => {
    const { recent, happen, asked } = start(['a', 'b'])
    happen('a', 'before', 1)
    const [one, other] = [watcher(), watcher()]
    recent.watch(one)
    recent.watch(other)
    await second()
    happen('a', '2', 2)
    happen('b', '3', 3)
    await second()
    await second()
    expect([one.seen.ids, other.seen.ids]).toEqual([
      ['2', '3'],
      ['2', '3'],
    ])
    expect(asked).toHaveLength(4)
    expect(asked.at(-1)).toEqual({ a: 2, b: 1 })
  })

  test('asks nobody while nobody watches', async () => {
    const { recent, asked } = start(['a'])
    const unwatch = recent.watch(watcher())
    await second()
    unwatch()
    await second()
    const count = asked.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toHaveLength(count)
    recent.watch(watcher())
    await second()
    expect(asked[count]).toEqual({})
  })

  test('goes on from where somebody was, on any gateway', async () => {
    const { recent, happen } = start(['a', 'b'])
    for (const [name, id] of [
      ['a', '1'],
      ['a', '2'],
      ['b', '3'],
    ] as const)
      happen(name, id, Number(id))
    const again = watcher(readPosition('a:1,gone:7'))
    recent.watch(again)
    await second()
    expect(again.seen.ids).toEqual(['2', '3'])
    expect(writePosition(again.position ?? new Map())).toBe('a:2,gone:7,b:1')
  })

  test('keeps what somebody cannot take yet, and nobody else waits for him', async () => {
    const { recent, happen } = start(['a'])
    const [slow, quick] = [watcher(new Map()), watcher(new Map())]
    slow.seen.ready = false
    recent.watch(slow)
    recent.watch(quick)
    happen('a', '1', 1)
    await second()
    happen('a', '2', 2)
    await second()
    expect([slow.seen.ids, quick.seen.ids]).toEqual([[], ['1', '2']])
    slow.seen.ready = true
    await second()
    expect(slow.seen.ids).toEqual(['1', '2'])
  })

  test('shows no event twice when a replica was away for a moment', async () => {
    const { recent, happen, away } = start(['a'])
    const one = watcher(new Map())
    recent.watch(one)
    happen('a', '1', 1)
    await second()
    away.add('a')
    await second()
    away.delete('a')
    happen('a', '2', 2)
    await second()
    expect(one.seen.ids).toEqual(['1', '2'])
    expect(one.seen.sources.map(({ answering }) => answering)).toContain(0)
  })

  test('ends with the process', async () => {
    const { recent, asked, stopping } = start(['a'])
    recent.watch(watcher())
    await second()
    stopping.abort()
    await second()
    const count = asked.length
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toHaveLength(count)
  })
})

test.each(['a', 'a:', ':1', 'a:1,', 'a:-1', 'a:1;b:2', `${'a'.repeat(65)}:1`, 'a:1'.padEnd(9_000, ',a:1')])(
  '%s is no position',
  (text) => {
    expect(readPosition(text)).toBeUndefined()
  },
)
