import type { ClientDuplexStream, ServiceError } from '@grpc/grpc-js'
import { Refusal, refusalFromGrpc } from '../errors.ts'

/** Sends one request over a stream, rejecting with a Refusal; `deadline` is in milliseconds since the Unix epoch. */
export type Exchange = (request: unknown, deadline: number) => Promise<unknown>

/** A stream whose server answers each message with one message. */
type Stream = ClientDuplexStream<unknown, unknown>

/**
 * The longest a stream takes new requests, in milliseconds. The next stream goes to the balancer's next replica, so a
 * shorter lifetime spreads requests more evenly; a server that stops never waits longer than this for an idle stream.
 */
export const streamLifetimeMs = 150

/** The most requests on one stream: a slow replica must not get fewer of them than the others. */
const requestsPerStream = 20

/** Lifetimes vary: with equal ones and two replicas, each method's streams could always go to the same replica. */
const varied = (lifetimeMs: number) => lifetimeMs * (0.5 + Math.random() / 2)

/**
 * Exchanges requests for responses over streams that are reused: opening a call costs a Node process some 0.4 ms of
 * CPU, and a message on an open stream a tenth of that. A stream carries one request at a time, so each request has
 * its own deadline and its own failure; concurrent requests use one stream each.
 * @param open opens a stream
 * @param lifetimeMs the longest a stream takes new requests, in milliseconds
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
