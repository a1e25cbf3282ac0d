import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import { Refusal, refusalFromGrpc } from './errors.ts'

/** One request over a stream, rejecting with a Refusal; `deadline` is in milliseconds since the Unix epoch. */
export type Exchange = (request: unknown, deadline: number) => Promise<unknown>

/** A stream of a method that answers every message with one. */
type Stream = ClientDuplexStream<unknown, unknown>

/**
 * How long a stream takes new requests at the most, in milliseconds. The next one begins at the next replica of the
 * balancer, so the shorter, the more even the replicas' shares; a server that stops waits for no stream longer than this.
 */
export const streamLifetimeMs = 150

/** How many requests a stream takes at the most: a slow replica must not get fewer of them than the others. */
const requestsPerStream = 20

/** Not all alike, or with two replicas one method's streams would always begin at the one and another's at the other. */
const varied = (lifetimeMs: number) => lifetimeMs * (0.5 + Math.random() / 2)

/**
 * Exchanges requests for responses over streams that are used again, since opening a call costs a Node process some
 * 0.4 ms of CPU and a message on an open one a tenth of it. A stream carries one request at a time, so each has its
 * own deadline and its own failure; requests of the same moment use a stream each.
 * @param open begins a stream
 * @param lifetimeMs how long a stream takes new requests at the most, in milliseconds
 */
export function exchangeOverStreams(open: () => Stream, lifetimeMs = streamLifetimeMs): Exchange {
  const idle: ReusableStream[] = []
  return (request, deadline) => {
    const stream = idle.shift() ?? reusable(open(), idle, varied(lifetimeMs))
    return stream.exchange(request, deadline)
  }
}

type ReusableStream = { exchange: Exchange }

function reusable(stream: Stream, idle: ReusableStream[], lifetimeMs: number): ReusableStream {
  let pending:
    | { resolve(response: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }
    | undefined
  let takesMore = true
  let taken = 0

  const self: ReusableStream = {
    exchange: (request, deadline) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => {
            settle()?.reject(
              new Refusal('temporarily_unavailable', undefined, { detail: 'no answer within the deadline' }),
            )
            stop()
            stream.cancel()
          },
          Math.max(0, deadline - Date.now()),
        )
        pending = { resolve, reject, timer }
        taken += 1
        if (taken === requestsPerStream) stop()
        stream.write(request)
      }),
  }

  function settle() {
    const settled = pending
    pending = undefined
    clearTimeout(settled?.timer)
    return settled
  }

  function stop(): void {
    takesMore = false
    clearTimeout(ending)
    const at = idle.indexOf(self)
    if (at >= 0) idle.splice(at, 1)
  }

  const ending = setTimeout(() => {
    stop()
    if (!pending) stream.end()
  }, lifetimeMs).unref()

  stream.on('data', (response: unknown) => {
    settle()?.resolve(response)
    if (takesMore) idle.push(self)
    else stream.end()
  })
  stream.on('error', (error: ServiceError) => {
    stop()
    settle()?.reject(refusalFromGrpc(error))
  })
  stream.on('end', () => {
    stop()
    settle()?.reject(
      new Refusal('temporarily_unavailable', undefined, { detail: 'the stream ended before the answer' }),
    )
  })
  return self
}
