import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { status as grpcStatus } from '@grpc/grpc-js'
import { type Refusal, toRefusal } from './errors.ts'
import {
  type Attributes,
  activeSpan,
  activeSpanContext,
  forRequest,
  inSpan,
  linkEach,
  markFailed,
  type Span,
  SpanKind,
  sharers,
  startChild,
  startRecordedTrace,
  tracer,
} from './trace.ts'
import { readTraceContext, type TraceHeaders, traceHeaders } from './trace-context.ts'

/** What is traced of a method. */
export type TracedMethod = {
  /** `/package.Service/Method` */
  path: string
  /** Where it is called: see `serverAttributes`. */
  server?: Attributes
}

/** How many of them a message has: batches are told from single calls by it. */
type Batch = { items?: readonly unknown[] }

/**
 * Makes a call with a span of its own, which the called process is told of.
 * @param send makes the call; it is told what to send along
 */
export async function traceCall<Result>(
  method: TracedMethod,
  send: (headers: TraceHeaders) => Promise<Result>,
): Promise<Result> {
  const span = startChild(nameOf(method), { kind: SpanKind.CLIENT, attributes: attributesOf(method) })
  if (span) return finishing(span, () => send(traceHeaders(span.spanContext())))
  // The trace is not recorded; but what the other process logs carries its id.
  const unrecorded = activeSpanContext()
  return send(unrecorded ? traceHeaders(unrecorded) : {})
}

/**
 * Sends a batch. It has a trace of its own, recorded when one of its items is, and is linked to all of those.
 * @param request one message, with the items
 */
export async function traceBatch<Request extends object, Result>(
  method: TracedMethod,
  request: Request,
  send: (request: Request) => Promise<Result>,
): Promise<Result> {
  const items = sharers()
  if (items.length === 0) return send(request)
  const attributes = { ...attributesOf(method), ...sizeOf(request) }
  const span = startRecordedTrace(`${nameOf(method)} batch`, { kind: SpanKind.CLIENT, attributes }, items)
  if (span === undefined) return send(request)
  return finishing(span, () => send({ ...request, ...traceHeaders(span.spanContext()) }))
}

/**
 * Gives each item of a batch a client span in its own trace, and the item what the other process must know of it.
 * @param submit puts the item into the next batch
 */
export function traceItems<Item extends TraceHeaders, Result>(
  method: TracedMethod,
  submit: (item: Item) => Promise<Result>,
): (item: Item) => Promise<Result> {
  return (item) => {
    const span = startChild(nameOf(method), { kind: SpanKind.CLIENT, attributes: attributesOf(method) })
    if (span === undefined) return submit(item)
    return finishing(span, () => submit({ ...item, ...traceHeaders(span.spanContext()) }))
  }
}

/**
 * Begins the span of answering a call, or a batch of them.
 * @param headers what the caller said of its trace
 * @param request a batch, which has items
 * @returns undefined where the caller has no trace; else it must be ended by `endRpc`
 */
export function startServing(
  method: TracedMethod,
  headers: TraceHeaders,
  request?: object,
): Span | undefined {
  if (tracer === undefined || !headers.traceparent) return undefined
  const parent = readTraceContext(headers, tracer.readTraceState)
  if (parent === undefined) return undefined
  const batch = request && sizeOf(request)
  const name = batch ? `${nameOf(method)} batch` : nameOf(method)
  return tracer.startSpan(
    name,
    { kind: SpanKind.SERVER, attributes: { ...attributesOf(method), ...batch } },
    parent,
  )
}

/**
 * Answers an item of a batch, with a server span in the item's own trace that is linked with the batch's. What the
 * answer needs stays a part of the batch, which it shares.
 * @param refusedWith the error code of a result, or undefined when it is none
 */
export async function serveItem<Result>(
  method: TracedMethod,
  item: TraceHeaders,
  answer: () => Promise<Result>,
  refusedWith: (result: Result) => string | undefined,
): Promise<Result> {
  const batch = activeSpan()
  const span = batch && startServing(method, item)
  if (batch === undefined || span === undefined) return answer()
  linkEach(span, [batch])
  const result = await forRequest(span, answer)
  endRpc(span, SpanKind.SERVER, refusedWith(result))
  return result
}

/**
 * Ends the span of an RPC.
 * @param refused the code that it was refused with; undefined: it was answered
 * @param status the name of the gRPC status, where that is not the code's own
 */
export function endRpc(span: Span, kind: SpanKind, refused?: string, status = statusOf(refused)): void {
  span.setAttribute('rpc.status_code', status)
  span.setAttribute('oauth.outcome', refused ?? 'ok')
  // By the semantic conventions the callee is not to blame for a caller's mistake.
  if (status !== 'OK' && (kind === SpanKind.CLIENT || calleesFaults.has(status))) markFailed(span, status)
  span.end()
}

const calleesFaults: ReadonlySet<string> = new Set([
  'UNKNOWN',
  'DEADLINE_EXCEEDED',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
])

/** What a client's spans say of where a gRPC target is: `dns:///token:50051` is token at 50051. */
export function serverAttributes(target: string): Attributes {
  const endpoint = target.replace(/^[a-z\d-]+:\/\/[^/]*\//, '')
  const [, address, port] = /^(?:dns:|ipv4:|ipv6:)?\[?(.+?)\]?:(\d+)$/.exec(endpoint) ?? []
  if (address === undefined) return { 'server.address': endpoint }
  return { 'server.address': address, 'server.port': Number(port) }
}

/** Runs a call as a part of its span, and ends that with the call. */
async function finishing<Result>(span: Span, call: () => Promise<Result>): Promise<Result> {
  try {
    const result = await inSpan(span, call)
    endRpc(span, SpanKind.CLIENT)
    return result
  } catch (error) {
    const refusal = toRefusal(error)
    endRpc(span, SpanKind.CLIENT, refusal.code, transportStatus(refusal))
    throw error
  }
}

function transportStatus({ cause }: Refusal): string | undefined {
  const { code } = (cause ?? {}) as { code?: unknown }
  return typeof code === 'number' ? grpcStatus[code] : undefined
}

function statusOf(refused: string | undefined): string {
  if (refused === undefined) return 'OK'
  return Object.hasOwn(errorCatalogue, refused) ? errorCatalogue[refused as ErrorCode].grpcStatus : 'UNKNOWN'
}

function nameOf({ path }: TracedMethod): string {
  return path.slice(1)
}

function attributesOf(method: TracedMethod): Attributes {
  return { 'rpc.system.name': 'grpc', 'rpc.method': nameOf(method), ...method.server }
}

function sizeOf(request: Batch): Attributes | undefined {
  return request.items && { 'gatehouse.batch.size': request.items.length }
}
