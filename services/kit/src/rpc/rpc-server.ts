import { errorCatalogue } from '@gatehouse/proto/errors'
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { isPostponed, refusalToGrpc, toRefusal } from '../errors.ts'
import { hostAndPort } from '../host.ts'
import type { Logger } from '../telemetry/log.ts'
import {
  Counter,
  durationBuckets,
  Gauge,
  Histogram,
  metricPrefix,
  type Registry,
} from '../telemetry/metrics.ts'
import { inBatchSpan, inSpan, SpanKind, tracer } from '../telemetry/trace.ts'
import type { TraceHeaders } from '../telemetry/trace-context.ts'
import { failureOfAll } from './batch-items.ts'
import { inCall } from './current-call.ts'
import { isStreamed, type Method, type RequestOf, type ResponseOf, type Service } from './rpc-client.ts'
import { announceClose } from './rpc-drain.ts'
import { endRpc, startServing } from './trace-rpc.ts'

/** The call that a handler answers. */
export type Call = {
  /** Milliseconds since the Unix epoch. */
  deadline: number
  /** Whether the caller has stopped waiting for the answer. */
  isCancelled(): boolean
}

/** The functions that answer a service's methods. The caller gets what they throw as a Refusal. */
export type Handlers<S extends Service> = {
  [Name in keyof S]: (request: RequestOf<S[Name]>, call: Call) => Promise<ResponseOf<S[Name]>>
}

/** A service's definition with the functions that answer it. */
export type Implementation = { service: Service; handlers: Record<string, UntypedHandler> }
type UntypedHandler = (request: unknown, call: Call) => Promise<unknown>

/** Pairs handlers with their definition, so that the compiler checks them and a list can hold several services. */
export function implement<const S extends Service>(service: S, handlers: Handlers<S>): Implementation {
  return { service, handlers: handlers as unknown as Record<string, UntypedHandler> }
}

/** Some of a service's handlers, for `implement`: a room that answers a part of it need not list their names. */
export function handlersOf<const S extends Service, Name extends keyof S>(
  _service: S,
  handlers: Pick<Handlers<S>, Name>,
): Pick<Handlers<S>, Name> {
  return handlers
}

/** The options of a server. */
export type RpcServerOptions = {
  host: string
  port: number
  /** By default calls are not encrypted, and calls from anybody are accepted. */
  credentials?: ServerCredentials | undefined
  /** The service's name, as the metrics' label `actor`. */
  actor: string
  log: Logger
  registry: Registry
}

/** A running server. */
export type RpcServer = {
  port: number
  /** Refuses new calls, lets those under way finish for at most `withinMs` milliseconds, then closes. */
  close(withinMs: number): Promise<void>
}

/**
 * Starts a server that answers RPCs, and counts and times each (actor_* metrics).
 * @param implementations the services to answer, besides those that `prepare` adds
 * @param prepare adds further services to the server, such as health
 * @throws the listener's error, with its `code`, when the port is taken
 */
export async function startRpcServer(
  implementations: readonly Implementation[],
  options: RpcServerOptions,
  prepare: (server: Server) => void,
): Promise<RpcServer> {
  const server = new Server({ 'grpc.max_receive_message_length': 64 << 20 })
  const measure = measureCalls(options)
  for (const { service, handlers } of implementations) {
    const methods: UntypedServiceImplementation = {}
    for (const [name, method] of Object.entries(service)) {
      const handler = handlers[name]
      if (handler === undefined) throw new Error(`nothing answers ${method.path}`)
      const answer = answering(method, handler, options.log, measure)
      methods[name] = isStreamed(method) ? streamed(answer) : called(answer)
    }
    server.addService(service as unknown as ServiceDefinition, methods)
  }
  prepare(server)
  const credentials = options.credentials ?? ServerCredentials.createInsecure()
  const port = await bind(server, hostAndPort(options.host, options.port), credentials)
  return { port, close: (withinMs) => close(server, withinMs) }
}

/** Gives the response to a request, or throws its failure as a gRPC error. */
type Answer = (request: unknown, call: Call, metadata?: Metadata) => Promise<unknown>

function answering(method: Method, handler: UntypedHandler, log: Logger, measure: Measure): Answer {
  const message = method.path.slice(method.path.lastIndexOf('/') + 1)
  return (request, call, metadata) => {
    const batch = metadata ? undefined : (request as object)
    const span = tracer && startServing(method, headersOf(metadata, request), batch)
    const done = measure(message)
    const finish = (refused?: string) => {
      done(refused ?? 'ok')
      if (span) endRpc(span, SpanKind.SERVER, refused)
    }
    return (batch ? inBatchSpan : inSpan)(span, () => answer(request, call, finish))
  }

  async function answer(request: unknown, call: Call, finish: (refused?: string) => void) {
    try {
      const response = await handler(request, call)
      finish(failureOfAll(response))
      return response
    } catch (error) {
      const refusal = toRefusal(error)
      finish(refusal.code)
      if (isPostponed(refusal)) {
        const { code, detail: reason = refusal.description } = refusal
        log.info({ message, code, reason }, 'call refused')
      } else if (errorCatalogue[refusal.code].httpStatus >= 500) {
        log.error({ err: refusal.cause ?? refusal, message, code: refusal.code }, 'call failed')
      }
      throw refusalToGrpc(refusal)
    }
  }
}

/** Reads the caller's trace headers: from the call's metadata, or from a message of a stream. */
function headersOf(metadata: Metadata | undefined, request: unknown): TraceHeaders {
  if (metadata === undefined) return request as TraceHeaders
  const text = (name: string) => metadata.get(name)[0]?.toString()
  return { traceparent: text('traceparent'), tracestate: text('tracestate') }
}

function callOf(call: ServerUnaryCall<unknown, unknown> | ServerDuplexStream<unknown, unknown>): Call {
  return { deadline: Number(call.getDeadline()), isCancelled: () => call.cancelled }
}

function called(answer: Answer) {
  return (call: ServerUnaryCall<unknown, unknown>, callback: sendUnaryData<unknown>): void => {
    const { request, metadata } = call
    const one = callOf(call)
    inCall(one.isCancelled, () => answer(request, one, metadata)).then(
      (response) => callback(null, response),
      callback,
    )
  }
}

/** Answers the messages of a stream one after the other, until the caller ends the stream or an answer fails. */
function streamed(answer: Answer) {
  return async (call: ServerDuplexStream<unknown, unknown>): Promise<void> => {
    try {
      for await (const request of call.iterator({ destroyOnReturn: false }))
        call.write(await answer(request, callOf(call)))
      call.end()
    } catch (error) {
      // A cancelled call needs no answer.
      if (!call.cancelled) call.emit('error', error)
    }
  }
}

type Measure = (message: string) => (outcome: string) => void

function measureCalls({ actor, registry }: RpcServerOptions): Measure {
  const registers = [registry]
  const total = new Counter({
    name: `${metricPrefix}actor_messages_total`,
    help: 'RPCs that a service answered.',
    labelNames: ['actor', 'message', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: `${metricPrefix}actor_message_duration_seconds`,
    help: 'How long a service took for an RPC.',
    labelNames: ['actor', 'message'],
    buckets: durationBuckets,
    registers,
  })
  const depth = new Gauge({
    name: `${metricPrefix}actor_mailbox_depth`,
    help: 'RPCs that a service is working on.',
    labelNames: ['actor'],
    registers,
  })
  depth.set({ actor }, 0)
  return (message) => {
    const start = performance.now()
    depth.inc({ actor })
    return (outcome) => {
      depth.dec({ actor })
      total.inc({ actor, message, outcome })
      duration.observe({ actor, message }, (performance.now() - start) / 1000)
    }
  }
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) reject(error)
      else resolve(port)
    })
  })
}

async function close(server: Server, withinMs: number): Promise<void> {
  await announceClose(server)
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), withinMs)
    server.tryShutdown(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
