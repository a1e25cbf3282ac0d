import { randomBytes } from 'node:crypto'
import { ROOT_CONTEXT, SamplingDecision, trace } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { createSampler, recorded } from '../src/trace-sampler.ts'
import { recordedLog } from './recorded-log.ts'

const newId = () => randomBytes(16).toString('hex')

function samplerOf(name?: string, argument?: string) {
  const { log, lines } = recordedLog()
  const sampler = createSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument }, log)
  const isRecorded = (context = ROOT_CONTEXT, traceId = newId()) =>
    sampler.shouldSample(context, traceId, 'GET /', 1, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED
  const share = () => Array.from({ length: 2_000 }, () => isRecorded()).filter(Boolean).length / 2_000
  return { isRecorded, share, warnings: lines.map(({ msg }) => msg) }
}

/** What is a part of a caller's trace. */
function within(traceFlags: number, traceId = newId()) {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId: '00f067aa0ba902b7',
    traceFlags,
    isRemote: true,
  })
}

test.each([
  ['without variables', undefined, undefined, 1],
  ['with an empty one', '', undefined, 1],
  ['always_on', 'always_on', undefined, 1],
  ['always_off', 'always_off', undefined, 0],
  ['parentbased_always_off', 'parentbased_always_off', undefined, 0],
  ['a ratio of 1', 'traceidratio', undefined, 1],
  ['a ratio of 0', 'parentbased_traceidratio', '0', 0],
])('of traces that begin here, %s: the share %s %s %f', (_, name, argument, expected) => {
  const { share, warnings } = samplerOf(name, argument)
  expect([share(), warnings]).toEqual([expected, []])
})

test('a ratio is kept', () => {
  // Five standard deviations of 2,000 draws.
  expect(samplerOf('parentbased_traceidratio', '0.25').share()).toBeCloseTo(0.25, 1)
})

test('processes with the same ratio agree on a trace', () => {
  const [one, other] = [samplerOf('traceidratio', '0.5'), samplerOf('traceidratio', '0.5')]
  for (const traceId of Array.from({ length: 100 }, newId))
    expect(one.isRecorded(ROOT_CONTEXT, traceId)).toBe(other.isRecorded(ROOT_CONTEXT, traceId))
})

test('a parent-based sampler does as the caller says, another one does not', () => {
  const [parentBased, plain] = [samplerOf('parentbased_traceidratio', '0'), samplerOf('always_off')]
  expect([parentBased.isRecorded(within(1)), parentBased.isRecorded(within(0))]).toEqual([true, false])
  expect(plain.isRecorded(within(1))).toBe(false)
  expect(samplerOf('always_on').isRecorded(within(0))).toBe(true)
})

test.each(['always_off', 'parentbased_always_off', 'parentbased_traceidratio'])(
  'what must be recorded is recorded with %s',
  (name) => {
    expect(samplerOf(name, '0').isRecorded(recorded)).toBe(true)
  },
)

test.each([
  ['an unknown sampler', 'jaeger_remote', undefined, 'OTEL_TRACES_SAMPLER is none'],
  ['a ratio that is none', 'traceidratio', 'half', 'OTEL_TRACES_SAMPLER_ARG must be a number'],
  ['a ratio above 1', 'parentbased_traceidratio', '10', 'OTEL_TRACES_SAMPLER_ARG must be a number'],
])('%s is warned of once, and everything is recorded', (_, name, argument, warning) => {
  const { share, warnings } = samplerOf(name, argument)
  expect([share(), warnings]).toEqual([1, [expect.stringContaining(warning)]])
})
