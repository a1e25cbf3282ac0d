import { afterEach, expect, test, vi } from 'vitest'
import { coalesce } from '../../src/rpc/coalesce.ts'
import { held, limits, turn } from './coalescing.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('a lone item is sent at the end of the turn in which it was submitted', async () => {
  const { submit, calls, call } = held()
  const answer = submit('a')
  await Promise.resolve()
  expect(calls).toEqual([])
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a']])
  call(0).end()
  expect(await answer).toBe('A')
})

test('the items of one turn, including its microtasks, share a call, and each gets its own answer', async () => {
  const { submit, calls, call } = held()
  const first = [submit('a'), submit('b')]
  const later = Promise.resolve().then(() => submit('c'))
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a', 'b', 'c']])
  call(0).end()
  expect(await Promise.all([...first, later])).toEqual(['A', 'B', 'C'])
})

test('an item of the next turn does not wait for the previous call while a slot is free', async () => {
  const { submit, calls } = held()
  submit('a')
  await turn()
  submit('b')
  await turn()
  expect(calls.map(({ items }) => items)).toEqual([['a'], ['b']])
})

test('an Error in place of an answer fails that item alone', async () => {
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
  ['a rejection', () => Promise.reject(new Error('all lost'))],
  [
    'an error thrown before there is a promise',
    () => {
      throw new Error('all lost')
    },
  ],
])('%s fails every item of the call, and the next call succeeds', async (_, fail) => {
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

test('a failed call that one item may have caused is halved until only that item fails', async () => {
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
  // 8, its halves, the halves of the bad half, and the two items of the bad quarter: no call is repeated.
  expect(sizes).toEqual([8, 4, 4, 2, 1, 1, 2])
})

test('a call is not halved if no item can have caused the failure, and a lone item is not retried', async () => {
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

test('a call carries no more than maxItems, in the order of submission', async () => {
  const { submit, calls } = held({ maxItems: 2, maxConcurrent: 9 })
  for (const item of 'abcde') submit(item)
  await turn()
  expect(calls.map(({ items }) => items.join(''))).toEqual(['ab', 'cd', 'e'])
})

test('no more than maxConcurrent calls are under way, and the next one takes the queued items', async () => {
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

test('a call that hangs frees its slot, once, and its items are still answered', async () => {
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
  // The call that hung had already freed its slot.
  expect(submit.state()).toEqual({ queued: 1, running: 1 })
  call(1).end()
  await turn()
  await turn()
  expect(calls).toHaveLength(3)
})
