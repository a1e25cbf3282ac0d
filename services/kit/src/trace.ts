import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import type { Attributes, Span, SpanContext, TraceState } from '@opentelemetry/api'
import { readTraceContext, type TraceHeaders } from './trace-context.ts'

export type { Attributes, Span, SpanContext, TraceState }

/** The kinds of spans, by OpenTelemetry's numbers. */
export const SpanKind = { SERVER: 1, CLIENT: 2 } as const
export type SpanKind = (typeof SpanKind)[keyof typeof SpanKind]

/** OpenTelemetry's number for the status of what has failed. */
const failedStatus = 2

/** What a new span is. */
export type SpanOptions = {
  kind: SpanKind
  attributes: Attributes
  /** As performance.now() has it; by default now. */
  startTime?: number
}

/** What OpenTelemetry does for this process (trace-sdk.ts, the only file that loads it). */
export type Tracer = {
  /** @param parent what the span is a part of; undefined: it begins a trace, which is recorded as the sampler says */
  startSpan(name: string, options: SpanOptions, parent?: SpanContext): Span
  /** Begins a trace that is recorded whatever the sampler says. */
  startRecordedSpan(name: string, options: SpanOptions): Span
  /** Reads W3C Trace Context's tracestate. */
  readTraceState(text: string): TraceState
}

/**
 * The process's tracer. Undefined where no collector is named: then nothing here does anything, and what would make
 * spans asks no more than that. Only the gateway begins traces; all other spans are children of what they are part of,
 * so work of the process's own makes none.
 */
export let tracer: Tracer | undefined

/** Says what the process's tracer is. */
export function setTracer(one: Tracer | undefined): void {
  tracer = one
}

/** What is done now. */
type Work = {
  span: Span
  /** The spans of all that share it, where it is done for several. */
  sharers: readonly Span[]
  /** The span of the one request that it is done for; undefined where there are several, or this one is not recorded. */
  request: Span | undefined
}

const work = new AsyncLocalStorage<Work>()
const none: readonly Span[] = []

/** The span that the caller is part of, if its trace is recorded. */
export function activeSpan(): Span | undefined {
  if (tracer === undefined) return undefined
  const span = work.getStore()?.span
  return span && isSampled(span.spanContext()) ? span : undefined
}

/** Which trace the caller is part of, recorded or not. */
export function activeSpanContext(): SpanContext | undefined {
  return tracer && work.getStore()?.span.spanContext()
}

/** The trace of the request that the caller works for, also where it shares what is done for it with others. */
export function activeRequestContext(): SpanContext | undefined {
  return tracer && work.getStore()?.request?.spanContext()
}

/** Whether a trace is recorded. */
export function isSampled({ traceFlags }: SpanContext): boolean {
  return (traceFlags & 1) === 1
}

/** Does something as a part of a span; of none, just does it. */
export function inSpan<Result>(span: Span | undefined, run: () => Result): Result {
  return span === undefined ? run() : work.run({ span, sharers: none, request: span }, run)
}

/** The same for what is done for several requests. */
export function inBatchSpan<Result>(span: Span | undefined, run: () => Result): Result {
  return span === undefined ? run() : work.run({ span, sharers: none, request: undefined }, run)
}

/** Does what one request of several needs: it stays a part of what is done for all of them. */
export function forRequest<Result>(request: Span, run: () => Result): Result {
  const now = work.getStore()
  return now === undefined ? run() : work.run({ ...now, request }, run)
}

/** Goes on with what was done when it was made; many times cheaper than `inSpan`, which makes a new frame each time. */
export type Resume = <Result>(run: () => Result) => Result

/** Remembers what is done now, for another turn of the event loop. */
export function rememberWork(): Resume {
  const place = new AsyncResource('gatehouse.work', { requireManualDestroy: true })
  return (run) => place.runInAsyncScope(run)
}

/**
 * Begins a span that is a part of the active one, and linked, both ways, to those that share what it stands for.
 * @returns undefined when there is nothing to be a part of; else the caller must end it
 */
export function startChild(name: string, options: SpanOptions): Span | undefined {
  const parent = activeSpan()
  if (tracer === undefined || parent === undefined) return undefined
  const span = tracer.startSpan(name, options, parent.spanContext())
  linkEach(span, sharers().slice(1))
  return span
}

/**
 * Begins a request's span, as a part of the trace that its caller names, else of a new one.
 * @param headers the caller's
 * @returns undefined where nothing is traced; else the caller must end it
 */
export function startTrace(name: string, options: SpanOptions, headers: TraceHeaders): Span | undefined {
  return tracer?.startSpan(name, options, readTraceContext(headers, tracer.readTraceState))
}

/**
 * Begins a trace that is recorded whatever the sampler says, as the batch must be that carries a recorded item.
 * @param links what it is linked to, both ways
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

/** The spans that share what is done now; empty where it is done for one. */
export function sharers(): readonly Span[] {
  return work.getStore()?.sharers ?? none
}

/**
 * Does for several callers at once what each had asked for. It is a part of the first one's span, and what it makes is
 * linked to the others'.
 * @param callers each with its `activeSpan()`
 */
export function inSharedSpan<Result>(
  callers: readonly { span: Span | undefined }[],
  run: () => Result,
): Result {
  if (tracer === undefined) return run()
  const spans = [...new Set(callers.map(({ span }) => span))].filter((span) => span !== undefined)
  const [first] = spans
  // Also without any: the turn of the event loop belongs to whoever happened to come first.
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
