import { afterEach, expect, test, vi } from 'vitest'
import { type CoalesceOptions, coalesce } from '../src/coalesce.ts'

afterEach(() => {
  vi.useRealTimers()
})

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const limits = { maxItems: 100, maxConcurrent: 2, maxQueued: 1_000, timeoutMs: 1_000 }

/** A coalescer whose calls stay open until the test ends them. */
function held(options: Partial<CoalesceOptions<string, string>> = {}) {
  const calls: { items: string[]; deadline: number; end(): void; fail(error: unknown): void }[] = []
  const submit = coalesce<string, string>({
    ...limits,
    run: (items, deadline) =>
      new Promise((resolve, reject) => {
        calls.push({
          items,
          deadline,
          end: () => resolve(items.map((item) => item.toUpperCase())),
          fail: reject,
        })
      }),
    ...options,
  })
  return { submit, calls, call: (index: number) => calls[index] ?? expect.unreachable(`no call ${index}`) }
}

/** What has become of each promise by now. */
function outcomes(promises: readonly Promise<unknown>[]) {
  const states: string[] = promises.map(() => 'waits')
  for (const [index, promise] of promises.entries()) {
    promise.then(
      (value) => (states[index] = `got ${value}`),
      (error) => (states[index] = error.code ?? error.message),
    )
  }
  return states
}

test('a lone item leaves at the end of the turn in which it came', async () => {
  const { submit, calls, call } = held()
  const answer = submit('a')
  await Promise.resolve()
  expect(calls).toEqual([])
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a']])
  call(0).end()
  expect(await answer).toBe('A')
})

test('the items of one turn share a call, those of its microtasks too, and each gets its own answer', async () => {
  const { submit, calls, call } = held()
  const first = [submit('a'), submit('b')]
  const later = Promise.resolve().then(() => submit('c'))
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
  call(0).end()
  expect(await Promise.all([...first, later])).toEqual(['A', 'B', 'C'])
})

test('an item of the next turn does not wait for the call before it while there is a free slot', async () => {
  const { submit, calls } = held()
  submit('a')
  await turn()
  submit('b')
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a'], ['b']])
})

test('an Error in the place of an answer is the failure of that item alone', async () => {
  const submit = coalesce<number, number>({
    ...limits,
    run: async (items) => items.map((item) => (item === 2 ? new Error('not two') : item * 10)),
  })
  const settled = await Promise.allSettled([1, 2, 3].map(submit))
  expect(settled).toEqual([
    { status: 'fulfilled', value: 10 },
    { status: 'rejected', reason: new Error('not two') },
    { status: 'fulfilled', value: 30 },
  ])
})

test.each([
  ['thrown', () => Promise.reject(new Error('all lost'))],
  [
    'thrown before there is a promise',
    () => {
      throw new Error('all lost')
    },
  ],
])('what is %s is the failure of every item, and the next call goes on', async (_, fail) => {
  let failing = true
  const submit = coalesce<string, string>({ ...limits, run: async (items) => (failing ? fail() : items) })
  const settled = await Promise.allSettled([submit('a'), submit('b')])
  expect(settled.map((one) => one.status === 'rejected' && one.reason.message)).toEqual([
    'all lost',
    'all lost',
  ])
  failing = false
  expect(await submit('c')).toBe('c')
  await turn()
  expect(submit.state()).toEqual({ queued: 0, running: 0 })
})

test('a failed call that one item may have caused is halved until that item fails alone', async () => {
  const sizes: number[] = []
  const submit = coalesce<number, number>({
    ...limits,
    mayIsolate: (error) => (error as Error).message === 'bad item',
    run: async (items) => {
      sizes.push(items.length)
      if (items.includes(5)) throw new Error('bad item')
      return items
    },
  })
  const settled = await Promise.allSettled([0, 1, 2, 3, 4, 5, 6, 7].map(submit))
  expect(settled.flatMap((one, item) => (one.status === 'rejected' ? [item] : []))).toEqual([5])
  expect(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual([
    0, 1, 2, 3, 4, 6, 7,
  ])
  // 8, its halves, the halves of the bad half, and the two in the bad quarter: none is asked twice.
  expect(sizes).toEqual([8, 4, 4, 2, 1, 1, 2])
})

test('a call is not halved when the failure cannot be an item’s fault, and a lone item is not tried again', async () => {
  let calls = 0
  const submit = coalesce<string, string>({
    ...limits,
    mayIsolate: (error) => (error as Error).message === 'bad item',
    run: async (items) => {
      calls += 1
      throw new Error(items.length > 1 ? 'the database is away' : 'bad item')
    },
  })
  await Promise.allSettled([submit('a'), submit('b')])
  expect(calls).toBe(1)
  await expect(submit('c')).rejects.toThrow('bad item')
  expect(calls).toBe(2)
})

test('a call carries no more than maxItems, in the order in which they came', async () => {
  const { submit, calls } = held({ maxItems: 2, maxConcurrent: 9 })
  for (const item of 'abcde') submit(item)
  await turn()
  expect(calls.map(({ items }) => items.join(''))).toEqual(['ab', 'cd', 'e'])
})

test('no more than maxConcurrent calls are under way, and the next takes what has gathered', async () => {
  const { submit, calls, call } = held({ maxConcurrent: 2 })
  for (const item of 'abcde') {
    submit(item)
    await turn()
  }
  expect(calls.map(({ items }) => items.join(''))).toEqual(['a', 'b'])
  expect(submit.state()).toEqual({ queued: 3, running: 2 })
  call(1).end()
  await turn()
  await turn()
  expect(calls.map(({ items }) => items.join(''))).toEqual(['a', 'b', 'cde'])
  expect(submit.state()).toEqual({ queued: 0, running: 2 })
})

test('a call that hangs makes room for the others, once, and its items are still answered', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { submit, calls, call } = held({ maxConcurrent: 1, hangsAfterMs: 50 })
  const hanging = submit('a')
  await turn()
  submit('b')
  await turn()
  vi.advanceTimersByTime(49)
  await turn()
  expect(calls).toHaveLength(1)
  vi.advanceTimersByTime(1)
  await turn()
  expect(calls).toHaveLength(2)
  expect(submit.state()).toEqual({ queued: 0, running: 1 })
  submit('c')
  call(0).end()
  expect(await hanging).toBe('A')
  await turn()
  // The one that hung had made its room already.
  expect(submit.state()).toEqual({ queued: 1, running: 1 })
  call(1).end()
  await turn()
  await turn()
  expect(calls).toHaveLength(3)
})

test('an item that finds the queue full is refused at once, and those before it are not disturbed', async () => {
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

test('a call knows the deadline of its first item', async () => {
  let time = 50_000
  const { submit, call } = held({ now: () => time })
  submit('a')
  time += 10
  submit('b')
  await turn()
  expect(call(0).deadline).toBe(51_000)
})

test('an item of a call that does not end is rejected in time, and the call keeps its slot until it ends', async () => {
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

test('a call that fails after its items were given up is no unhandled failure', async () => {
  vi.useFakeTimers()
  const { submit, call } = held({ maxConcurrent: 1 })
  const states = outcomes([submit('a')])
  await vi.advanceTimersByTimeAsync(1_000)
  call(0).fail(new Error('too late'))
  await vi.advanceTimersByTimeAsync(1)
  expect(states).toEqual(['temporarily_unavailable'])
  expect(submit.state()).toEqual({ queued: 0, running: 0 })
})

test('items that queue for half their time are rejected, each at its own, and are never sent', async () => {
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

test('items that came in one turn but found no slot are rejected in time too', async () => {
  vi.useFakeTimers()
  const { submit, calls } = held({ maxItems: 1, maxConcurrent: 1 })
  const states = outcomes([submit('runs'), submit('queues'), submit('queues too')])
  await vi.advanceTimersByTimeAsync(1_010)
  expect(calls).toHaveLength(1)
  expect(states).toEqual(['temporarily_unavailable', 'temporarily_unavailable', 'temporarily_unavailable'])
  expect(submit.state()).toEqual({ queued: 0, running: 1 })
})

test('more items than the calls can carry: what can be carried is answered', async () => {
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
    // One and a half times what a call carries comes while it is under way.
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
  '%i answers for 2 items are an error for both, not somebody else’s answer',
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
