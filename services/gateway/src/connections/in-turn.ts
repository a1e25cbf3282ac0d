import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'

/** How many pipelined requests of one connection may wait for the answers before theirs. */
export const mostWaiting = 16

type Exchange = { request: IncomingMessage & { socket: Socket }; response: ServerResponse }

/** The exchanges of one connection. */
type Turns = { waiting: Exchange[]; last: ServerResponse; tooMany: boolean }

/**
 * Handles the requests of a connection one after another (RFC 9112 section 9.3.2): the next begins when the answer before it is on
 * its way. Otherwise the answers to pipelined requests would pile up for a peer that does not read. Where more than `mostWaiting`
 * wait, the connection is read no further and closes after the last of those, and a client sends the others again.
 * @param ended called for each connection that is closed because of it
 */
export function inTurn(handler: RequestListener, ended: () => void): RequestListener {
  const connections = new WeakMap<Socket, Turns>()

  function begin({ request, response }: Exchange, turns: Turns): void {
    turns.last = response
    response.once('close', () => {
      const next = turns.waiting.shift()
      if (request.socket.destroyed) turns.waiting.length = 0
      else if (next) begin(next, turns)
      else if (!turns.tooMany) connections.delete(request.socket)
    })
    handler(request, response)
  }

  return (request, response) => {
    const { socket } = request
    const exchange = { request, response }
    const turns = connections.get(socket)
    if (turns === undefined) {
      const first = { waiting: [], last: response, tooMany: false }
      connections.set(socket, first)
      return begin(exchange, first)
    }
    if (turns.tooMany) return
    if (turns.waiting.length < mostWaiting) return void turns.waiting.push(exchange)
    turns.tooMany = true
    ended()
    // Node closes the connection after this answer, which says so.
    const last = turns.waiting.at(-1)?.response ?? turns.last
    last.shouldKeepAlive = false
    stopReading(socket)
  }
}
