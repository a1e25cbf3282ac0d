import type { SpanContext, TraceState } from '@opentelemetry/api'

/** A trace's context on its way to another process, in the words of W3C Trace Context. */
export type TraceHeaders = { traceparent?: string | undefined; tracestate?: string | undefined }

// A version after 00 may add parts. Ids of zeros alone are none.
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/**
 * Reads what a caller says of the trace that a request belongs to (W3C Trace Context, sections 3.2 and 3.3).
 * @param readTraceState reads the header tracestate
 * @returns undefined for what is absent or malformed, which is as good as absent
 */
export function readTraceContext(
  { traceparent, tracestate }: TraceHeaders,
  readTraceState: (text: string) => TraceState,
): SpanContext | undefined {
  const match = traceparent ? pattern.exec(traceparent) : null
  if (match === null) return undefined
  const [, version, traceId = '', spanId = '', flags = '', more] = match
  if (version === '00' && more !== undefined) return undefined
  const context: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  if (tracestate) context.traceState = readTraceState(tracestate)
  return context
}

/** What the next process is told. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const flags = traceFlags & 1 ? '01' : '00'
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() || undefined }
}
