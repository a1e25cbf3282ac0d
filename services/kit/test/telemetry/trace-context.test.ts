import { createTraceState } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { readTraceContext, traceHeaders } from '../../src/telemetry/trace-context.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const spanId = '00f067aa0ba902b7'
const read = (traceparent?: string, tracestate?: string) =>
  readTraceContext({ traceparent, tracestate }, createTraceState)

describe('a caller’s trace context', () => {
  test.each([
    ['recorded', '01', 1],
    ['not recorded', '00', 0],
    ['recorded, with an unknown flag', '03', 1],
    ['not recorded, with an unknown flag', '02', 0],
  ])('is read: %s', (_, flags, traceFlags) => {
    const expected = { traceId, spanId, traceFlags, isRemote: true }
    expect(read(`00-${traceId}-${spanId}-${flags}`)).toEqual(expected)
  })

  test('may have a later version with more parts', () => {
    expect(read(`01-${traceId}-${spanId}-01-more`)).toMatchObject({ traceId, spanId })
    expect(read(`cc-${traceId}-${spanId}-01`)).toMatchObject({ traceId, spanId })
  })

  test.each([
    ['absent', undefined],
    ['empty', ''],
    ['of the forbidden version', `ff-${traceId}-${spanId}-01`],
    ['of version 00 with more parts', `00-${traceId}-${spanId}-01-more`],
    ['in capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['with a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['cut short', `00-${traceId}-${spanId}`],
    ['followed by something', `00-${traceId}-${spanId}-01 `],
    ['preceded by something', ` 00-${traceId}-${spanId}-01`],
    ['sent twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ])('is ignored when it is %s', (_, traceparent) => {
    expect(read(traceparent)).toBeUndefined()
  })

  test('is passed on to the next process unchanged, with the state of other vendors', () => {
    const state = 'acme=1,other=two'
    const context = read(`00-${traceId}-${spanId}-01`, state)
    expect(context && traceHeaders(context)).toEqual({
      traceparent: `00-${traceId}-${spanId}-01`,
      tracestate: state,
    })
  })

  test('keeps its trace without a malformed state', () => {
    const context = read(`00-${traceId}-${spanId}-01`, 'no equals sign,\u0000=1')
    expect(context && traceHeaders(context)).toEqual({ traceparent: `00-${traceId}-${spanId}-01` })
  })
})
