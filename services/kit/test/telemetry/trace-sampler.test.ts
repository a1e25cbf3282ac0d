import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSampler } from '../../src/telemetry/trace-sampler.ts'
import { recordedLog } from '../../testing/recorded-log.ts'

const newId = () => randomBytes(16).toString('hex')

function samplerOf(name?: string, argument?: string) {
  const { log, lines } = recordedLog()
  const decide = createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }, log)
  const share = () =>
    Array.from({ length: 2_000 }, () => decide(newId(), undefined)).filter(Boolean).length / 2_000
  const within = (traceFlags: number, traceId = newId()) =>
    decide(traceId, { traceId, spanId: '00f067aa0ba902b7', traceFlags, isRemote: true })
  return { decide, share, within, warnings: lines.map(({ msg }) => msg) }
}

test.each([
  ['without variables', undefined, undefined, 1],
  ['with an empty variable', '', undefined, 1],
  ['always_on', 'always_on', undefined, 1],
  ['always_off', 'always_off', undefined, 0],
  ['parentbased_always_off', 'parentbased_always_off', undefined, 0],
  ['a ratio of 1', 'traceidratio', undefined, 1],
  ['a ratio of 0', 'parentbased_traceidratio', '0', 0],
])('the share of recorded traces that begin here, %s (%s, %s), is %f', (_, name, argument, expected) => {
  const { share, warnings } = samplerOf(name, argument)
  expect([share(), warnings]).toEqual([expected, []])
})

test('the share of recorded traces follows the ratio', () => {
  // Five standard deviations of 2,000 draws.
  expect(samplerOf('parentbased_traceidratio', '0.25').share()).toBeCloseTo(0.25, 1)
})

test('processes with the same ratio agree on a trace, and one with a greater ratio records it too', () => {
  const [one, other, more] = ['0.5', '0.5', '0.6'].map((ratio) => samplerOf('traceidratio', ratio))
  for (const traceId of Array.from({ length: 200 }, newId)) {
    const recorded = one?.decide(traceId, undefined)
    expect(other?.decide(traceId, undefined)).toBe(recorded)
    if (recorded) expect(more?.decide(traceId, undefined)).toBe(true)
  }
})

describe('a trace that a caller began', () => {
  test('is recorded by a parent-based sampler if the caller recorded it', () => {
    const { within } = samplerOf('parentbased_traceidratio', '0')
    expect([within(1), within(0)]).toEqual([true, false])
    expect(samplerOf('parentbased_always_on').within(0)).toBe(false)
  })

  test('is recorded by any other sampler if the sampler says so', () => {
    expect(samplerOf('always_off').within(1)).toBe(false)
    expect(samplerOf('always_on').within(0)).toBe(true)
    const { within } = samplerOf('traceidratio', '0.5')
    expect([within(0, 'f'.repeat(32)), within(1, `${'f'.repeat(19)}${'0'.repeat(13)}`)]).toEqual([
      true,
      false,
    ])
  })
})

test.each([
  ['an unknown sampler', 'jaeger_remote', undefined, 'OTEL_TRACES_SAMPLER names an unknown sampler'],
  ['a ratio that is not a number', 'traceidratio', 'half', 'OTEL_TRACES_SAMPLER_ARG must be a number'],
  ['a ratio above 1', 'parentbased_traceidratio', '10', 'OTEL_TRACES_SAMPLER_ARG must be a number'],
])('%s causes one warning, and everything is recorded', (_, name, argument, warning) => {
  const { share, warnings } = samplerOf(name, argument)
  expect([share(), warnings]).toEqual([1, [expect.stringContaining(warning)]])
})
