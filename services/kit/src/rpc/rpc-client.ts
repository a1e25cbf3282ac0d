import {
  ChannelCredentials,
  Client,
  type ClientOptions,
  logVerbosity,
  Metadata,
  type ServiceError,
  setLogVerbosity,
} from '@grpc/grpc-js'
import { refusalFromGrpc } from '../errors.ts'
import { tracer } from '../telemetry/trace.ts'
import type { TraceHeaders } from '../telemetry/trace-context.ts'
import type { Peer } from './peer.ts'
import { watchedTarget } from './replica-resolver.ts'
import { type Exchange, exchangeOverStreams, streamLifetimeMs } from './rpc-stream.ts'
import { serverAttributes, type TracedMethod, traceBatch, traceCall } from './trace-rpc.ts'

/** One method of a generated service definition. */
export type Method = {
  path: string
  requestStream: boolean
  responseStream: boolean
  requestSerialize(value: never): Buffer
  requestDeserialize(bytes: Buffer): unknown
  responseSerialize(value: never): Buffer
  responseDeserialize(bytes: Buffer): unknown
}

/**
 * A generated service definition. Each method answers one message with one: as a call of its own or, if the definition
 * has `stream` for both, over streams that are reused.
 */
export type Service = Record<string, Method>

/** The message that a method takes. */
export type RequestOf<M extends Method> = ReturnType<M['requestDeserialize']>

/** The message that a method gives. */
export type ResponseOf<M extends Method> = ReturnType<M['responseDeserialize']>

/** A client of a service: one function per method. */
export type RpcClient<S extends Service> = {
  [Name in keyof S]: (request: RequestOf<S[Name]>, options?: CallOptions) => Promise<ResponseOf<S[Name]>>
} & {
  /**
   * Connects, so that the first call need not wait for a name to be resolved.
   * @param deadline milliseconds since the Unix epoch
   * @returns whether calls find a replica now
   */
  connect(deadline: number): Promise<boolean>
  close(): void
}

/** The options of a single call. */
export type CallOptions = {
  /** Milliseconds since the Unix epoch; by default the client's timeout from now. */
  deadline?: number
}

// grpc-js logs nothing itself: every failure reaches the process's log as an error.
setLogVerbosity(logVerbosity.NONE)

/** Which replicas get a client's calls: each in turn, or one chosen at random for as long as the connection lasts. */
export type Balancing = 'all_replicas' | 'one_replica'

const policies: Record<Balancing, object> = {
  all_replicas: { round_robin: {} },
  one_replica: { pick_first: { shuffleAddressList: true } },
}

const channelOptions = (balancing: Balancing, serverName: string | undefined): ClientOptions => ({
  ...(serverName && { 'grpc.ssl_target_name_override': serverName }),
  // Statistics that nobody reads, at a cost to every call.
  'grpc.enable_channelz': 0,
  // A connection of its own, so that another client of the same service may choose another replica.
  ...(balancing === 'one_replica' && { 'grpc.use_local_subchannel_pool': 1 }),
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [policies[balancing]] }),
  // Less than the interval of the replica resolver.
  'grpc.dns_min_time_between_resolutions_ms': 2_000,
  // The policy is set above; name servers are not asked for one.
  'grpc.service_config_disable_resolution': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 500,
  // A replica whose packets are lost is dropped after the sum of these two, which is less than a call's timeout. It
  // must not be much less: a process that was suspended runs its timers before it reads the answers that arrived.
  'grpc.keepalive_time_ms': 1_000,
  'grpc.keepalive_timeout_ms': 3_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.max_receive_message_length': 64 << 20,
})

/**
 * Creates a client for a service. It connects when it is first used and again whenever the connection is lost.
 * @param service the generated definition
 * @param peer the service's address; calls to a plain gRPC target are not encrypted
 * @param timeoutMs how long a call may take, in milliseconds, unless the call has a deadline
 * @param balancing which replicas are called
 * @returns one function per method, each rejecting with a Refusal
 */
export function createRpcClient<const S extends Service>(
  service: S,
  peer: Peer | string,
  timeoutMs: number,
  balancing: Balancing = 'all_replicas',
): RpcClient<S> {
  const { target, certificates, serverName }: Peer = typeof peer === 'string' ? { target: peer } : peer
  const credentials = certificates?.channel ?? ChannelCredentials.createInsecure()
  const channel = () => new Client(watchedTarget(target), credentials, channelOptions(balancing, serverName))
  const client = channel()
  const clients = [client]
  const server = serverAttributes(target)
  const calls = Object.entries(service).map(([name, method]) => {
    const traced = { path: method.path, server }
    const exchange = isStreamed(method)
      ? tracedBatches(traced, exchangeOverStreams(streamsOf(method)))
      : exchangeByCall(client, method, traced)
    const call = (request: unknown, { deadline = Date.now() + timeoutMs }: CallOptions = {}) =>
      exchange(request, deadline)
    return [name, call]
  })
  const connect = async (deadline: number) =>
    (await Promise.all(clients.map((one) => connected(one, deadline)))).every(Boolean)
  const close = () => {
    for (const one of clients) one.close()
  }
  return { ...Object.fromEntries(calls), connect, close } as RpcClient<S>

  /** Shares the connections, but not the round robin: otherwise two methods could always get different replicas. */
  function streamsOf(method: Method) {
    const own = channel()
    clients.push(own)
    return () => openStream(own, method, timeoutMs)
  }
}

function connected(client: Client, deadline: number): Promise<boolean> {
  return new Promise((resolve) => client.waitForReady(deadline, (error) => resolve(error === undefined)))
}

/** Whether a method's messages travel over streams that are reused. */
export function isStreamed({ requestStream, responseStream }: Method): boolean {
  return requestStream && responseStream
}

function tracedBatches(method: TracedMethod, exchange: Exchange): Exchange {
  return (request, deadline) =>
    tracer === undefined
      ? exchange(request, deadline)
      : traceBatch(method, request as object, (traced) => exchange(traced, deadline))
}

function exchangeByCall(client: Client, method: Method, traced: TracedMethod): Exchange {
  const send = (request: unknown, deadline: number, metadata: Metadata) =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize as (value: unknown) => Buffer,
        method.responseDeserialize,
        request,
        metadata,
        { deadline },
        (error: ServiceError | null, response: unknown) => {
          if (error) reject(refusalFromGrpc(error))
          else resolve(response)
        },
      )
    })
  return (request, deadline) =>
    tracer === undefined
      ? send(request, deadline, new Metadata())
      : traceCall(traced, (headers) => send(request, deadline, metadataOf(headers)))
}

function metadataOf(headers: TraceHeaders): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) metadata.set(name, value)
  return metadata
}

function openStream(client: Client, method: Method, timeoutMs: number) {
  return client.makeBidiStreamRequest(
    method.path,
    method.requestSerialize as (value: unknown) => Buffer,
    method.responseDeserialize,
    new Metadata(),
    { deadline: Date.now() + streamLifetimeMs + timeoutMs },
  )
}
