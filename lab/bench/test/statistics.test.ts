import { expect, test } from 'vitest'
import { median, ratios, summarize } from '../src/measuring/statistics.ts'
import { rotate, type Series } from '../src/rounds.ts'
import type { Measurement } from '../src/run.ts'
import { areSizesWithinBounds, type SizeLoad, sizeCosts } from '../src/tables/table-size.ts'

const mebibyte = 2 ** 20

function round(perSecond: number, cores: number): Measurement {
  const wrk = { name: 'wrk', cores: 0.5, memory: undefined }
  return {
    requests: perSecond,
    perSecond,
    latency: { p50: 1000 / perSecond, p90: 2, p99: 3, max: 4 },
    answerBytes: 500,
    usage: {
      seconds: 1,
      processes: [
        { name: 'gateway', cores, memory: 100 * mebibyte },
        { name: 'token', cores, memory: mebibyte },
        wrk,
      ],
      idle: 0.2,
      others: 0,
      stolen: 0,
    },
  }
}

const own: Series = {
  phase: 'issue',
  subject: 'gatehouse',
  rounds: [round(100, 0.1), round(300, 0.3), round(200, 0.2)],
}

test('the median is the middle, or between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

test('every subject is first in some round', () => {
  expect([0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''))).toEqual([
    'abc',
    'bca',
    'cab',
    'abc',
  ])
})

test('a summary tells medians, and the CPU of the serving processes together', () => {
  const summary = summarize(own)
  expect(summary).toMatchObject({ perSecond: 200, range: [100, 300], latency: { p50: 5 } })
  expect(summary.cpuMicroseconds).toBeCloseTo(2_000)
  expect(summary.processes[0]).toMatchObject({ name: 'gateway', cores: 0.2, memory: 100 * mebibyte })
})

test('ratios compare Gatehouse with each rival in the same phase', () => {
  const rival: Series = { phase: 'issue', subject: 'peer', rounds: [round(50, 0.2)] }
  const alone: Series = { phase: 'introspect', subject: 'peer', rounds: [round(50, 0.2)] }
  const [ratio, ...rest] = ratios([own, rival, alone])
  expect(rest).toEqual([])
  expect(ratio).toMatchObject({ phase: 'issue', rival: 'peer', throughput: 4 })
  expect(ratio?.cpuPerRequest).toBeCloseTo(0.25)
})

test('a size is compared with a system that has few tokens, round by round', () => {
  const pair = (off: number, on: number) => ({ off: round(off, 0.1), on: round(on, 0.1) })
  const rounds = (...ratios: number[]) => ratios.map((ratio) => pair(100, 100 * ratio))
  const page = (p95: number) => ({ page: '/admin', p50: 10, p95 })
  const size = (storedTokens: number, ratios: number[], p95 = 10, load: SizeLoad = 'issue') => ({
    storedTokens,
    series: [{ load, rounds: rounds(...ratios) }],
    pages: { few: [page(300)], many: [page(p95)] },
  })
  const [small, large] = sizeCosts([size(1_000, [0.95]), size(2_000, [0.99, 0.5, 0.8])])
  expect(small?.throughput).toBeCloseTo(0.95)
  expect(large?.throughput).toBeCloseTo(0.8)
  expect(large?.cpuPerRequest).toBeCloseTo(1.25)
  expect(areSizesWithinBounds([size(1_000, [0.92])])).toBe(true)
  expect(areSizesWithinBounds([size(1_000, [0.9])])).toBe(false)
  expect(areSizesWithinBounds([size(1_000, [1], 201)])).toBe(false)
  expect(areSizesWithinBounds([size(1_000, [0.5], 10, 'introspect any')])).toBe(true)
})
