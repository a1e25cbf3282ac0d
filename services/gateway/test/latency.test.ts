import { durationBuckets } from '@gatehouse/kit/metrics'
import { expect, test } from 'vitest'
import { latencyOf } from '../src/admin/latency.ts'

const none = durationBuckets.map(() => 0)

test('of no requests there is no latency', () => {
  expect(latencyOf([...none, 0], 0.5)).toBeUndefined()
  expect(latencyOf([], 0.95)).toBeUndefined()
})

test('within a bucket requests count as evenly spread', () => {
  // Ten requests that took from 1 ms to 2.5 ms.
  const counts = none.with(2, 10)
  expect(latencyOf(counts, 0.5)).toBeCloseTo(0.00175)
  expect(latencyOf(counts, 1)).toBeCloseTo(0.0025)
})

test('a percentile is in the bucket where its request is', () => {
  const counts = none.with(0, 90).with(9, 10)
  expect(latencyOf(counts, 0.5)).toBeLessThan(0.0005)
  expect(latencyOf(counts, 0.95)).toBeCloseTo(0.375)
})

test('what took longer than every bound is shown as the last', () => {
  expect(latencyOf([...none, 1], 0.95)).toBe(5)
})
