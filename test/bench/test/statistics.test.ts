import { expect, test } from 'vitest'
import { rotate, type Series } from '../src/rounds.ts'
import type { Measurement } from '../src/run.ts'
import { median, ratios, summarize } from '../src/statistics.ts'
import { arePagesQuick, sizeLosses } from '../src/table-size.ts'

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

test('a size is compared with the mean of the empty table before and after', () => {
  const at = (storedTokens: number, perSecond: number) => ({
    storedTokens,
    phases: [{ phase: 'issue' as const, rounds: [round(perSecond, 0.1)] }],
    pages: [{ page: '/admin', p50: 10, p95: perSecond }],
  })
  const losses = sizeLosses([at(0, 90), at(1_000, 85), at(2_000, 75), at(0, 110)])
  expect(losses.map(({ storedTokens, allowed }) => [storedTokens, allowed])).toEqual([
    [1_000, true],
    [2_000, false],
  ])
  expect(losses[1]?.loss).toBeCloseTo(0.25)
  expect(arePagesQuick([at(0, 200), at(1_000, 100)])).toBe(true)
  expect(arePagesQuick([at(0, 201), at(1_000, 100)])).toBe(false)
})
