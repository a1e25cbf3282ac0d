import { afterEach, expect, test, vi } from 'vitest'
import { coalesce } from '../../src/rpc/coalesce.ts'
import { held, limits, outcomes, turn } from './coalescing.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('an item is refused at once when the queue is full, and the items in the queue are still answered', async () => {
  const { submit, calls, call } = held({ maxConcurrent: 1, maxQueued: 2 })
  submit('a')
  await turn()
  const queued = [submit('b'), submit('c')]
  const refused = outcomes([submit('d')])
  await Promise.resolve()
  expect(refused).toEqual(['temporarily_unavailable'])
  call(0).end()
  await turn()
  await turn()
  call(1).end()
  expect(await Promise.all(queued)).toEqual(['B', 'C'])
  expect(calls).toHaveLength(2)
})

test.each([
  [4, [4]],
  [5, [4, 1]],
  [9, [4, 4, 1]],
  [30, [10, 10, 10]],
  [31, [11, 10, 10]],
  [100, [20, 20, 20]],
])(
  'of %i items that wait for three calls each call takes its share, but not too few and not too many',
  async (count, sizes) => {
    const { submit, calls, call } = held({ maxItems: 20, splitAbove: 4, maxConcurrent: 3 })
    for (let at = 0; at < count; at += 1) submit(`item ${at}`)
    await turn()
    expect(calls.map(({ items }) => items.length)).toEqual(sizes)
    expect(calls.flatMap(({ items }) => items)[3]).toBe('item 3')
    // The rest shares the calls that begin later.
    call(0).end()
    await turn()
    await turn()
    expect(calls[3]?.items.length).toBe(count === 100 ? 20 : undefined)
  },
)

test('a call has the deadline of its first item', async () => {
  let time = 50_000
  const { submit, call } = held({ now: () => time })
  submit('a')
  time += 10
  submit('b')
  await turn()
  expect(call(0).deadline).toBe(51_000)
})

test('the items of a call that does not end are rejected in time, and the call keeps its slot until it ends', async () => {
  vi.useFakeTimers()
  const { submit, calls, call } = held({ maxConcurrent: 1 })
  const states = outcomes([submit('a'), submit('b')])
  await vi.advanceTimersByTimeAsync(999)
  expect(states).toEqual(['waits', 'waits'])
  await vi.advanceTimersByTimeAsync(1)
  expect(states).toEqual(['temporarily_unavailable', 'temporarily_unavailable'])
  expect(submit.state()).toEqual({ queued: 0, running: 1 })

  const next = outcomes([submit('c')])
  await vi.advanceTimersByTimeAsync(400)
  expect(calls).toHaveLength(1)
  call(0).end()
  await vi.advanceTimersByTimeAsync(1)
  expect(calls.map(({ items }) => items)).toEqual([['a', 'b'], ['c']])
  call(1).end()
  await vi.advanceTimersByTimeAsync(0)
  expect(next).toEqual(['got C'])
  // The late answer has changed nothing.
  expect(states).toEqual(['temporarily_unavailable', 'temporarily_unavailable'])
})

test('a call that fails after its items timed out causes no unhandled rejection', async () => {
  vi.useFakeTimers()
  const { submit, call } = held({ maxConcurrent: 1 })
  const states = outcomes([submit('a')])
  await vi.advanceTimersByTimeAsync(1_000)
  call(0).fail(new Error('too late'))
  await vi.advanceTimersByTimeAsync(1)
  expect(states).toEqual(['temporarily_unavailable'])
  expect(submit.state()).toEqual({ queued: 0, running: 0 })
})

test('an item that has queued for half its timeout is rejected and never sent', async () => {
  vi.useFakeTimers()
  const { submit, calls, call } = held({ maxConcurrent: 1 })
  outcomes([submit('busy')])
  await vi.advanceTimersByTimeAsync(100)
  const early = outcomes([submit('early')])
  await vi.advanceTimersByTimeAsync(300)
  const late = outcomes([submit('late')])
  await vi.advanceTimersByTimeAsync(199)
  expect([early, late]).toEqual([['waits'], ['waits']])
  await vi.advanceTimersByTimeAsync(1)
  expect([early, late]).toEqual([['temporarily_unavailable'], ['waits']])
  await vi.advanceTimersByTimeAsync(300)
  expect(late).toEqual(['temporarily_unavailable'])
  call(0).end()
  await vi.advanceTimersByTimeAsync(1)
  expect(calls).toHaveLength(1)
  expect(submit.state()).toEqual({ queued: 0, running: 0 })
})

test('items of one turn that found no slot are rejected in time too', async () => {
  vi.useFakeTimers()
  const { submit, calls } = held({ maxItems: 1, maxConcurrent: 1 })
  const states = outcomes([submit('runs'), submit('queues'), submit('queues too')])
  await vi.advanceTimersByTimeAsync(1_010)
  expect(calls).toHaveLength(1)
  expect(states).toEqual(['temporarily_unavailable', 'temporarily_unavailable', 'temporarily_unavailable'])
  expect(submit.state()).toEqual({ queued: 0, running: 1 })
})

test('under more load than the calls can carry, as many items are answered as they can carry', async () => {
  vi.useFakeTimers()
  const capacity = 10
  const submit = coalesce<number, number>({
    maxItems: capacity,
    maxConcurrent: 1,
    maxQueued: 10_000,
    timeoutMs: 1_000,
    run: async (items) => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      return items
    },
  })
  const answered = { yes: 0, no: 0 }
  for (let round = 0; round < 100; round += 1) {
    // Half as many items again as a call carries arrive while it is under way.
    for (let item = 0; item < capacity * 1.5; item += 1) {
      submit(item).then(
        () => (answered.yes += 1),
        () => (answered.no += 1),
      )
    }
    await vi.advanceTimersByTimeAsync(100)
  }
  await vi.advanceTimersByTimeAsync(2_000)
  expect(answered.yes + answered.no).toBe(1_500)
  expect(answered.yes).toBeGreaterThan(900)
})

test.each([1, 3])(
  '%i answers for 2 items fail both, so that no item gets the answer of another',
  async (count) => {
    const submit = coalesce<string, string>({
      ...limits,
      run: async () => Array.from({ length: count }, () => 'x'),
    })
    const settled = await Promise.allSettled([submit('a'), submit('b')])
    expect(settled.map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
      expect.stringContaining(`2 items gave ${count} results`),
      expect.stringContaining(`2 items gave ${count} results`),
    ])
  },
)
