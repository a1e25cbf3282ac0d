import { expect, test } from 'vitest'
import {
  type CountedFailures,
  countFailures,
  type FailureKey,
  mostKinds,
} from '../../src/clients/client-authentication-failure.ts'

const failure = (changes: Partial<FailureKey> = {}): FailureKey => ({
  ...{ clientId: 'client_a', reason: 'wrong_secret', endpoint: 'token', ipAddress: '192.0.2.1' },
  ...changes,
})

/** A counter over a store that remembers each write, or fails while `away` is true. */
function counting() {
  const written: (readonly CountedFailures[])[] = []
  const left: number[] = []
  const state = { away: false, now: 0 }
  const counter = countFailures({
    store: {
      async add(failures) {
        if (state.away) throw new Error('the database is away')
        written.push(failures)
      },
    },
    leftOut: (count) => void left.push(count),
    monotonicNow: () => state.now,
  })
  return { ...counter, written, left, state }
}

test('equal failures are one row with a count, and a second write has none of them', async () => {
  const { count, write, written } = counting()
  for (const reason of ['wrong_secret', 'disabled', 'wrong_secret'] as const) count(failure({ reason }))
  count(failure({ ipAddress: '192.0.2.2' }))
  await write()
  await write()
  expect(written).toEqual([
    [
      { ...failure(), count: 2, age: 0 },
      { ...failure({ reason: 'disabled' }), count: 1, age: 0 },
      { ...failure({ ipAddress: '192.0.2.2' }), count: 1, age: 0 },
    ],
  ])
})

test('a flood from many addresses is kept without them, and one of many clients too is only counted', async () => {
  const { count, write, written, left } = counting()
  for (let at = 0; at < 10 * mostKinds; at += 1) count(failure({ ipAddress: `2001:db8::${at.toString(16)}` }))
  await write()
  expect(written[0]).toHaveLength(mostKinds + 1)
  expect(written[0]?.at(-1)).toEqual({ ...failure({ ipAddress: undefined }), count: 9 * mostKinds, age: 0 })
  expect(left).toEqual([])

  for (let at = 0; at < 10 * mostKinds; at += 1) count(failure({ clientId: `client_${at}` }))
  await write()
  expect(written[1]).toHaveLength(2 * mostKinds)
  expect(left).toEqual([8 * mostKinds])
})

test('counts that could not be stored are stored the next time', async () => {
  const { count, write, written, state } = counting()
  state.away = true
  count(failure())
  state.now = 10_000
  await expect(write()).rejects.toThrow('away')
  count(failure())
  state.away = false
  await write()
  // The age is that of the first one.
  expect(written).toEqual([[{ ...failure(), count: 2, age: 10 }]])
})

test('an address that PostgreSQL could not store, or a huge one, fails nothing', async () => {
  const { count, write, written } = counting()
  count(failure({ ipAddress: `\0\ud800${'x'.repeat(1_000)}` }))
  await write()
  expect(written[0]?.[0]?.ipAddress).toBe(`\\u{0}\ufffd${'x'.repeat(58)}`)
})
