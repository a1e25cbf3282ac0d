import { expect, test } from 'vitest'
import { createExpiringMap } from '../src/limits/expiring-map.ts'
import { createKnownCredentials } from '../src/limits/known-credentials.ts'
import { createRateLimiter } from '../src/limits/rate-limiter.ts'
import { limits } from './limits.ts'

const longest = 60_000

test('an entry ends at its time', () => {
  let now = 1_000
  const map = createExpiringMap<string>({ most: 10, longest, now: () => now })
  map.set('a', 'first', 2_000)
  now = 1_999
  expect(map.get('a')).toBe('first')
  now = 2_000
  expect(map.get('a')).toBeUndefined()
})

test('however many keys come, a map holds no more than it may, the newer half among them', () => {
  const map = createExpiringMap<number>({ most: 1_000, longest, now: () => 0 })
  for (let index = 0; index < 100_000; index += 1) {
    map.set(`key-${index}`, index, longest)
    expect(map.size).toBeLessThanOrEqual(1_000)
    expect(map.get(`key-${Math.max(0, index - 499)}`)).toBe(Math.max(0, index - 499))
  }
  expect(map.get('key-98999')).toBeUndefined()
})

test('what is over is let go, and nothing is before its time', () => {
  let now = 0
  const map = createExpiringMap<number>({ most: 1_000_000, longest, now: () => now })
  for (; now < 600_000; now += 100) {
    map.set(`key-${now}`, now, now + longest)
    expect(map.get(`key-${Math.max(0, now - longest + 100)}`)).toBe(Math.max(0, now - longest + 100))
    expect(map.size).toBeLessThanOrEqual((2 * longest) / 100)
  }
})

test('what is set again is the newer', () => {
  const map = createExpiringMap<number>({ most: 4, longest, now: () => 0 })
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
    ['d', 5],
  ] as const)
    map.set(key, value, 1)
  expect(map.get('a')).toBe(3)
})

test('a full map of many keys takes new ones quickly', () => {
  const map = createExpiringMap<number>({ most: 100_000, longest, now: () => 0 })
  for (let index = 0; index < 100_000; index += 1) map.set(`key-${index}`, index, longest)
  const begin = performance.now()
  for (let index = 0; index < 100_000; index += 1) map.set(`new-${index}`, index, longest)
  expect(performance.now() - begin).toBeLessThan(2_000)
})

test('credentials are known for a minute, and 10,000 of them at the most', () => {
  let now = 0
  const known = createKnownCredentials(() => now)
  known.succeeded('early')
  now = 59_999
  expect([known.areKnown('early'), known.areKnown('never')]).toEqual([true, false])
  now = 60_000
  expect(known.areKnown('early')).toBe(false)
  for (let index = 0; index < 100_000; index += 1) known.succeeded(`key-${index}`)
  const stillKnown = Array.from({ length: 100_000 }, (_, index) => known.areKnown(`key-${index}`))
  expect(stillKnown.filter(Boolean).length).toBeLessThanOrEqual(10_000)
  expect(stillKnown.slice(-5_000)).not.toContain(false)
})

test('a process counts 100,000 keys at the most; then it forgets the older ones', {
  timeout: 60_000,
}, async () => {
  const limiter = createRateLimiter({ limits, now: () => 0 })
  const left = async (key: string) => (await limiter.count('token', key)).remaining
  expect(await left('first')).toBe(19)
  for (let index = 1; index < 100_000; index += 1) await left(`random-${index}`)
  expect(await left('first')).toBe(18)
  await left('one more')
  expect(await left('first')).toBe(19)
  expect(await left('random-99999')).toBe(18)
})

test('what has nothing left is remembered, for 100,000 keys at the most', { timeout: 60_000 }, async () => {
  const limiter = createRateLimiter({ limits: { ...limits, token: 1 }, now: () => 0 })
  const isOver = (key: string) => limiter.exhausted('token', key) !== undefined
  for (let index = 0; index < 100_001; index += 1) await limiter.count('token', `key-${index}`)
  expect(['key-0', 'key-50001', 'key-100000', 'key-x'].map(isOver)).toEqual([false, true, true, false])
})
