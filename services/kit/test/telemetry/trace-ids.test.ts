import { expect, test } from 'vitest'
import { createTraceIds } from '../../src/telemetry/trace-ids.ts'

test('ids have the length that the standard requires, and are unique', () => {
  const { generateSpanId, generateTraceId } = createTraceIds()
  const made = Array.from({ length: 2_000 }, () => [generateTraceId(), generateSpanId()])
  for (const [traceId, spanId] of made) {
    expect(traceId).toMatch(/^[\da-f]{32}$/)
    expect(spanId).toMatch(/^[\da-f]{16}$/)
  }
  expect(new Set(made.flat()).size).toBe(4_000)
})
