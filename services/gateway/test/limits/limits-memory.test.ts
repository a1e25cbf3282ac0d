import { expect, test } from 'vitest'
import { createKnownCredentials } from '../../src/limits/known-credentials.ts'
import { createRateLimiter } from '../../src/limits/rate-limiter.ts'
import { limits } from './limits.ts'

test('credentials are known for a minute, and at most 10,000 of them', () => {
  let now = 1
  const known = createKnownCredentials(() => now)
  known.succeeded('early')
  now += 60_000
  expect([known.areKnown('early'), known.areKnown('never')]).toEqual([true, false])
  now += 1
  expect(known.areKnown('early')).toBe(false)
  for (let index = 0; index < 100_000; index += 1) known.succeeded(`key-${index}`)
  const stillKnown = Array.from({ length: 100_000 }, (_, index) => known.areKnown(`key-${index}`))
  expect(stillKnown.filter(Boolean).length).toBeLessThanOrEqual(10_000)
  expect(stillKnown.slice(-5_000)).not.toContain(false)
})

test('a process counts at most 100,000 keys, and forgets those that were not seen for the longest time', {
  timeout: 60_000,
}, async () => {
  const limiter = createRateLimiter({ limits, now: () => 0 })
  const left = async (key: string) => (await limiter.count('token', key)).remaining
  expect(await left('first')).toBe(19)
  for (let index = 1; index < 100_000; index += 1) await left(`random-${index}`)
  expect(await left('first')).toBe(18)
  await left('one more')
  expect(await left('first')).toBe(17)
  expect(await left('random-1')).toBe(19)
  expect(await left('random-99999')).toBe(18)
})

test('exhausted keys are remembered, at most 100,000 of them', { timeout: 60_000 }, async () => {
  const limiter = createRateLimiter({ limits: { ...limits, token: 1 }, now: () => 0 })
  const isExhausted = (key: string) => limiter.exhausted('token', key) !== undefined
  for (let index = 0; index < 100_001; index += 1) await limiter.count('token', `key-${index}`)
  expect(['key-0', 'key-50001', 'key-100000', 'key-x'].map(isExhausted)).toEqual([false, true, true, false])
})
