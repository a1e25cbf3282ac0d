import { constants, type Http2Server, type Http2Session } from 'node:http2'
import { Server as NetServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from '@grpc/grpc-js'

/** The members of grpc-js's server that it does not publish. */
type Inside = { http2Servers: Map<Http2Server, unknown>; sessions: Map<Http2Session, unknown> }

/** The largest stream id: calls that are on their way are still answered. */
const everyStream = 2 ** 31 - 1
/** How long a client may take to acknowledge, in milliseconds. */
const patience = 250
/** A client sends an acknowledgement before the calls that it has begun already, in milliseconds. */
const stragglers = 20

/**
 * Takes no more connections, and tells all clients to take other ones for new calls (RFC 9113 section 6.8). A server that closed its connections
 * without this would lose the calls that are on their way to it.
 * @returns a promise that resolves when the clients know, and what they have begun has arrived
 */
export async function announceClose(server: Server): Promise<void> {
  const { http2Servers, sessions } = server as unknown as Inside
  // That of an HTTP/2 server would close the connections, too.
  for (const listener of http2Servers.keys()) NetServer.prototype.close.call(listener)
  await Promise.all([...sessions.keys()].map(announce))
  await sleep(stragglers)
}

function announce(session: Http2Session): Promise<void> {
  if (session.closed || session.destroyed) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  session.goaway(constants.NGHTTP2_NO_ERROR, everyStream)
  const timer = setTimeout(resolve, patience)
  // The acknowledgement comes after everything that the client sent before it knew.
  if (!session.ping(() => resolve())) resolve()
  return promise.finally(() => clearTimeout(timer))
}
