import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { Attributes, Span, SpanContext, TraceState } from '@opentelemetry/api'
import { readTraceContext, type TraceHeaders } from './trace-context.ts'

export type { Attributes, Span, SpanContext, TraceState }

/** OpenTelemetry's numbers for the kinds of spans. */
export const SpanKind = { SERVER: 1, CLIENT: 2 } as const
export type SpanKind = (typeof SpanKind)[keyof typeof SpanKind]

/** OpenTelemetry's number for the status of a failed span. */
const failedStatus = 2

/** The options of a new span. */
export type SpanOptions = {
  kind: SpanKind
  attributes: Attributes
  /** In the time of performance.now(); by default now. */
  startTime?: number
}

/** The part of OpenTelemetry that this process uses (trace-sdk.ts is the only file that loads it). */
export type Tracer = {
  /** @param parent the parent span; undefined if the span begins a trace, which is recorded if the sampler says so */
  startSpan(name: string, options: SpanOptions, parent?: SpanContext): Span
  /** Begins a trace that is recorded whatever the sampler says. */
  startRecordedSpan(name: string, options: SpanOptions): Span
  /** Reads W3C Trace Context's tracestate. */
  readTraceState(text: string): TraceState
}

/**
 * The process's tracer. Undefined if no collector is configured: then no function here does anything, and callers
 * need to check nothing else. Only the gateway begins traces, and batches, which are linked to their items; every other
 * span has a parent, so a process's background work makes no spans.
 */
export let tracer: Tracer | undefined

/** Sets the process's tracer. */
export function setTracer(one: Tracer | undefined): void {
  tracer = one
}

/** The work under way. */
type Work = {
  span: Span
  /** The spans of all callers that share the work; empty if it is done for one. */
  sharers: readonly Span[]
  /** The request's span; undefined if the work is done for several, or for a batch's item that is not recorded. */
  request: Span | undefined
}

const work = new AsyncLocalStorage<Work>()
const none: readonly Span[] = []

/** The span that the caller runs in, if its trace is recorded. */
export function activeSpan(): Span | undefined {
  if (tracer === undefined) return undefined
  const span = work.getStore()?.span
  return span && isSampled(span.spanContext()) ? span : undefined
}

/** The context of the span that the caller runs in, recorded or not. */
export function activeSpanContext(): SpanContext | undefined {
  return tracer && work.getStore()?.span.spanContext()
}

/** The span context of the request that the caller works for, even if it shares a batch with other requests. */
export function activeRequestContext(): SpanContext | undefined {
  return tracer && work.getStore()?.request?.spanContext()
}

/** Whether a trace is recorded. */
export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & 1) === 1
}

/** Runs a function in a span; without a span, just runs it. */
export function inSpan<Result>(span: Span | undefined, run: () => Result): Result {
  return span === undefined ? run() : work.run({ span, sharers: none, request: span }, run)
}

/** Runs a function in the span of a batch, which is done for several requests. */
export function inBatchSpan<Result>(span: Span | undefined, run: () => Result): Result {
  return span === undefined ? run() : work.run({ span, sharers: none, request: undefined }, run)
}

/** Runs a function for one request of a batch: the active span stays the batch's. */
export function forRequest<Result>(request: Span, run: () => Result): Result {
  const now = work.getStore()
  return now === undefined ? run() : work.run({ ...now, request }, run)
}

/** Runs a function in the remembered work; many times cheaper than `inSpan`, which makes a new frame each time. */
export type Resume = <Result>(run: () => Result) => Result

/** Remembers the work under way, for another turn of the event loop. */
export function rememberWork(): Resume {
  const place = new AsyncResource('gatehouse.work', { requireManualDestroy: true })
  return (run) => place.runInAsyncScope(run)
}

/**
 * Begins a child of the active span, linked both ways to the spans of the other callers that share the work.
 * @returns undefined if there is no active span; otherwise the caller must end the new one
 */
export function startChild(name: string, options: SpanOptions): Span | undefined {
  const parent = activeSpan()
  if (tracer === undefined || parent === undefined) return undefined
  const span = tracer.startSpan(name, options, parent.spanContext())
  linkEach(span, sharers().slice(1))
  return span
}

/**
 * Begins a request's span, in the trace that its caller names or in a new one.
 * @param headers the caller's trace headers
 * @returns undefined if nothing is traced; otherwise the caller must end it
 */
export function startTrace(name: string, options: SpanOptions, headers: TraceHeaders): Span | undefined {
  return tracer?.startSpan(name, options, readTraceContext(headers, tracer.readTraceState))
}

/**
 * Begins a trace that is recorded whatever the sampler says: a batch that carries a recorded item must be recorded.
 * @param links the spans that it is linked to, both ways
 */
export function startRecordedTrace(
  name: string,
  options: SpanOptions,
  links: readonly Span[],
): Span | undefined {
  const span = tracer?.startRecordedSpan(name, options)
  if (span) linkEach(span, links)
  return span
}

/** The spans of the callers that share the work under way; empty if it is done for one. */
export function sharers(): readonly Span[] {
  return work.getStore()?.sharers ?? none
}

/**
 * Runs a function for several callers at once. It runs in the first caller's span, and the spans it makes are linked to
 * those of the others.
 * @param callers each with its `activeSpan()`
 */
export function inSharedSpan<Result>(
  callers: readonly { span: Span | undefined }[],
  run: () => Result,
): Result {
  if (tracer === undefined) return run()
  const spans = [...new Set(callers.map(({ span }) => span))].filter((span) => span !== undefined)
  const [first] = spans
  // Needed even if no caller has a span: otherwise the work would count as that of the caller who started this turn.
  if (first === undefined) return work.exit(run)
  return work.run({ span: first, sharers: spans, request: undefined }, run)
}

/** Links a span to others and them to it. */
export function linkEach(span: Span, others: readonly Span[]): void {
  for (const other of others) {
    span.addLink({ context: other.spanContext() })
    other.addLink({ context: span.spanContext() })
  }
}

/** Marks a span as failed. The type is a code, never a message: those may quote what a caller sent. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: failedStatus })
}
