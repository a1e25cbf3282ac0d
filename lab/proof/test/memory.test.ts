import { expect, test } from 'vitest'
import { growthOf, type Life, theilSen } from '../src/world/memory.ts'
import { checkMemory } from '../src/world/memory-check.ts'

const mebibyte = 1_048_576
const minute = 60_000
/** Measurements of an hour, one every ten seconds. */
const looks = (bytesAt: (minutes: number) => number) =>
  Array.from({ length: 360 }, (_, index) => ({ at: index * 10_000, bytes: bytesAt(index / 6) * mebibyte }))
const life = (resident: (minutes: number) => number, live = (_minutes: number) => 40): Life => ({
  name: 'token-b',
  resident: looks(resident),
  live: looks(live),
})
const judge = (one: Life) => {
  const growth = growthOf(one, 5 * minute, 5 * minute)
  return checkMemory(growth ? [growth] : [], 100_000)
}

test('the slope ignores a few outliers', () => {
  const samples = looks((minutes) => 100 + minutes / 10 + (Math.round(minutes * 6) % 7 === 0 ? 80 : 0))
  expect((theilSen(samples) as number) / mebibyte).toBeCloseTo(6, 0)
})

test('accepts memory that is constant or settles after the start', () => {
  expect(judge(life(() => 120)).failures).toEqual([])
  expect(judge(life((minutes) => 100 + 40 * (1 - Math.exp(-minutes / 8)))).failures).toEqual([])
})

test('finds a heap that grows a little with each request', () => {
  expect(
    judge(
      life(
        () => 120,
        (minutes) => 40 + minutes / 5,
      ),
    ).failures,
  ).toHaveLength(1)
})

test('finds memory outside of the heap that keeps growing', () => {
  expect(judge(life((minutes) => 120 + minutes * 1.5)).failures).toHaveLength(1)
})

test('does not judge a process that ran too short a time', () => {
  const short = { ...life(() => 120), resident: looks(() => 120).slice(0, 50) }
  expect(judge(short).checked).toBe(0)
})
