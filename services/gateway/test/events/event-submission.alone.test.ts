import { inSpan, type Span, setTracer, type Tracer } from '@gatehouse/kit/telemetry/trace'
import { afterEach, expect, test } from 'vitest'
import { submissionOf } from '../../src/events/event-submission.ts'

afterEach(() => setTracer(undefined))

test('if requests are traced, an event belongs to the request’s span, not to the span that the caller named', () => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', '00f067aa0ba902b7']
  const span = { spanContext: () => ({ traceId, spanId, traceFlags: 1 }) } as Span
  setTracer({} as Tracer)
  const headers = {
    'content-type': 'application/json',
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    tracestate: 'vendor=1',
  }
  const submission = inSpan(span, () => submissionOf({ headers, body: '{}' }, false))
  expect(submission).toMatchObject({
    traceparent: `00-${traceId}-${spanId}-01`,
    tracestate: undefined,
    correlationId: traceId,
  })
})
