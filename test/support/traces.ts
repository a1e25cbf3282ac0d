import { randomBytes } from 'node:crypto'
import type { Collector, ReceivedSpan } from './servers/otlp.ts'

/** The beginning of a trace, from a caller. */
export type CallersTrace = { traceId: string; spanId: string; headers: { traceparent: string } }

/**
 * Begins a trace as a caller does (W3C Trace Context).
 * @param sampled whether it should be recorded
 */
export function beginTrace(sampled = true): CallersTrace {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-${sampled ? '01' : '00'}` } }
}

const lookup = 'gatehouse.clientregistry.v1.ClientRegistryService/LookupClients'

/** The spans of a trace that a collector has received. */
export function spansOf({ spans }: Collector, traceId: string): ReceivedSpan[] {
  return spans.filter((span) => span.traceId === traceId)
}

/**
 * A trace as text: one line for each span with its process, kind and name, indented below its parent, in the order in which they
 * began. The look-up of a client is left out, because on a slow machine the cached client may be too old.
 */
export function treeOf(collector: Collector, traceId: string): string[] {
  const spans = spansOf(collector, traceId)
    .filter(({ name }) => name !== lookup)
    .sort((a, b) => Number(a.start - b.start))
  const known = new Set(spansOf(collector, traceId).map(({ spanId }) => spanId))
  const lines = (span: ReceivedSpan, indent: string): string[] => [
    `${indent}${span.service.replace('gatehouse-', '')} ${span.kind} ${span.name}`,
    ...spans.filter((one) => one.parentSpanId === span.spanId).flatMap((one) => lines(one, `${indent}  `)),
  ]
  return spans.filter((span) => !known.has(span.parentSpanId)).flatMap((span) => lines(span, ''))
}

/** The traces, other than its own, that a trace's spans are linked to. */
export function linkedTraces(collector: Collector, traceId: string): string[] {
  const links = spansOf(collector, traceId).flatMap((span) => span.links.map((link) => link.traceId))
  return [...new Set(links)].filter((one) => one !== traceId)
}

/** The cost of a request; an item counts the whole batch to which it is linked. */
export function costOf(collector: Collector, traceId: string): { rpc: number; sql: number; redis: number } {
  const own = spansOf(collector, traceId)
  const batches = linkedTraces(collector, traceId).flatMap((linked) => spansOf(collector, linked))
  // A statement that several batches share belongs to one of them, and is linked to the others.
  const batchIds = new Set(batches.map(({ spanId }) => spanId))
  const shared = collector.spans.filter(
    (span) => !batches.includes(span) && !own.includes(span) && isSql(span) && isLinkedTo(span, batchIds),
  )
  const all = [...own, ...batches, ...shared]
  const isItem = (span: ReceivedSpan) => span.links.some((link) => batchIds.has(link.spanId))
  const calls = all.filter((span) => span.kind === 'client' && span.attributes['rpc.system.name'] === 'grpc')
  return {
    rpc: calls.filter((span) => !(own.includes(span) && isItem(span))).length,
    sql: all.filter(isSql).length,
    redis: all.filter((span) => span.attributes['db.system.name'] === 'redis').length,
  }
}

function isSql(span: ReceivedSpan): boolean {
  return span.attributes['db.system.name'] === 'postgresql'
}

function isLinkedTo(span: ReceivedSpan, ids: ReadonlySet<string>): boolean {
  return span.links.some(({ spanId }) => ids.has(spanId))
}
