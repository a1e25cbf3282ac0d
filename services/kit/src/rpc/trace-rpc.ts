import { type ErrorCode, errorCatalogue } from '@gatehouse/proto/errors'
import { status as grpcStatus } from '@grpc/grpc-js'
import { type Refusal, toRefusal } from '../errors.ts'
import {
  type Attributes,
  activeSpan,
  activeSpanContext,
  forRequest,
  inSpan,
  isSampled,
  linkEach,
  markFailed,
  type Span,
  SpanKind,
  sharers,
  startChild,
  startRecordedTrace,
  tracer,
} from '../telemetry/trace.ts'
import { readTraceContext, type TraceHeaders, traceHeaders } from '../telemetry/trace-context.ts'

/** The method of a call, for its span. */
export type TracedMethod = {
  /** `/package.Service/Method` */
  path: string
  /** The address of the called server: see `serverAttributes`. */
  server?: Attributes
}

/** A message with items is a batch; one without is a single call. */
type Batch = { items?: readonly unknown[] }

/**
 * Makes a call in a span of its own, and passes the span's context to the called process.
 * @param send makes the call with the given headers
 */
export async function traceCall<Result>(
  method: TracedMethod,
  send: (headers: TraceHeaders) => Promise<Result>,
): Promise<Result> {
  const span = startChild(nameOf(method), { kind: SpanKind.CLIENT, attributes: attributesOf(method) })
  if (span) return finishing(span, () => send(traceHeaders(span.spanContext())))
  // The trace is not recorded, but the other process's log lines carry its id.
  const unrecorded = activeSpanContext()
  return send(unrecorded ? traceHeaders(unrecorded) : {})
}

/**
 * Sends a batch in a trace of its own, which is recorded if one of its items is, and is linked to all recorded items.
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
 * Gives each item of a batch a client span in the item's own trace, and adds the span's context to the item.
 * @param submit puts the item into the next batch
 */
export function traceItems<Item extends TraceHeaders, Result>(
  method: TracedMethod,
  submit: (item: Item) => Promise<Result>,
): (item: Item) => Promise<Result> {
  return (item) => {
    const span = startChild(nameOf(method), { kind: SpanKind.CLIENT, attributes: attributesOf(method) })
    if (span) return finishing(span, () => submit({ ...item, ...traceHeaders(span.spanContext()) }))
    // As for a call: the other process's log lines carry the id of the trace.
    const unrecorded = activeSpanContext()
    return submit(unrecorded ? { ...item, ...traceHeaders(unrecorded) } : item)
  }
}

/**
 * Begins the server span of a call or a batch.
 * @param headers the caller's trace headers
 * @param request a batch, which has items
 * @returns undefined if the caller has no trace; otherwise end the span with `endRpc`
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
 * Answers an item of a batch in a server span of the item's own trace, linked with the batch's span. Work that the
 * answer shares with other items stays in the batch's trace.
 * @param refusedWith returns the error code of a result, or undefined if it is not an error
 */
export async function serveItem<Result>(
  method: TracedMethod,
  item: TraceHeaders,
  answer: () => Promise<Result>,
  refusedWith: (result: Result) => string | undefined,
): Promise<Result> {
  const batch = activeSpan()
  const span = startServing(method, item)
  if (span === undefined) return answer()
  if (batch === undefined || !isSampled(span.spanContext()))
    return (batch ? forRequest : inSpan)(span, answer)
  linkEach(span, [batch])
  const result = await forRequest(span, answer)
  endRpc(span, SpanKind.SERVER, refusedWith(result))
  return result
}

/**
 * Ends the span of an RPC.
 * @param refused the code that it was refused with; undefined if it was answered
 * @param status the name of the gRPC status, if it is not the code's own
 */
export function endRpc(span: Span, kind: SpanKind, refused?: string, status = statusOf(refused)): void {
  span.setAttribute('rpc.status_code', status)
  span.setAttribute('oauth.outcome', refused ?? 'ok')
  // By the semantic conventions, a caller's mistake does not mark the server's span as failed.
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

/** The server attributes of a client's spans: `dns:///token:50051` has address token and port 50051. */
export function serverAttributes(target: string): Attributes {
  const endpoint = target.replace(/^[a-z\d-]+:\/\/[^/]*\//, '')
  const [, address, port] = /^(?:dns:|ipv4:|ipv6:)?\[?(.+?)\]?:(\d+)$/.exec(endpoint) ?? []
  if (address === undefined) return { 'server.address': endpoint }
  return { 'server.address': address, 'server.port': Number(port) }
}

/** Runs a call in its span, and ends the span with the call. */
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
