import type { SpanContext, TraceState } from '@opentelemetry/api'

/** A trace's context on its way to another process, as the headers of W3C Trace Context. */
export type TraceHeaders = { traceparent?: string | undefined; tracestate?: string | undefined }

// A version after 00 may add parts. An id of only zeros is invalid.
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/**
 * Reads the trace that a caller's request belongs to (W3C Trace Context, sections 3.2 and 3.3).
 * @param readTraceState parses the header tracestate
 * @returns undefined if traceparent is absent or malformed
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

/** Writes the headers for the next process. */
export function traceHeaders({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceHeaders {
  const flags = traceFlags & 1 ? '01' : '00'
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() || undefined }
}
