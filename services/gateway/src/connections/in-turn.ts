import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { stopReading } from './stop-reading.ts'

/** How many pipelined requests of one connection may wait for the answers before theirs. */
export const mostWaiting = 16

type Exchange = { request: IncomingMessage & { socket: Socket }; response: ServerResponse }

/** The exchanges of one connection. */
type Turns = {
  /** The exchange whose answer is due. */
  current: Exchange | undefined
  waiting: Exchange[]
  tooMany: boolean
}

/** The needs of handling requests in turn. */
export type InTurnDeps = {
  /** Notes that a request waits, behind others of its connection. */
  wait(request: IncomingMessage): void
  /** Begins to handle a request, whose turn has come. */
  begin: RequestListener
  /** Called when a request that was begun has been answered, or its connection is gone. */
  answered(request: IncomingMessage): void
  /** Called for each connection that is closed because too many requests waited. */
  ended(): void
}

/**
 * Handles the requests of a connection one after another (RFC 9112 section 9.3.2): the next begins when the answer before it is on
 * its way. Otherwise the answers to pipelined requests would pile up for a peer that does not read. Where more than `mostWaiting`
 * wait, the connection is read no further and closes after the last of those, and a client sends the others again.
 */
export function inTurn({ wait, begin, answered, ended }: InTurnDeps): RequestListener {
  const connections = new WeakMap<Socket, Turns>()

  function start(exchange: Exchange, turns: Turns): void {
    const { request, response } = exchange
    turns.current = exchange
    response.once('close', () => {
      answered(request)
      const next = turns.waiting.shift()
      if (request.socket.destroyed) turns.waiting.length = 0
      else if (next) start(next, turns)
      else if (!turns.tooMany) turns.current = undefined
    })
    begin(request, response)
  }

  function turnsOf(socket: Socket): Turns {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const turns = { current: undefined, waiting: [], tooMany: false }
    connections.set(socket, turns)
    return turns
  }

  return (request, response) => {
    const { socket } = request
    const turns = turnsOf(socket)
    const exchange = { request, response }
    if (turns.current === undefined) return start(exchange, turns)
    if (turns.tooMany) return
    if (turns.waiting.length < mostWaiting) {
      turns.waiting.push(exchange)
      return wait(request)
    }
    turns.tooMany = true
    ended()
    // Node closes the connection after this answer, which says so.
    const last = turns.waiting.at(-1) ?? turns.current
    last.response.shouldKeepAlive = false
    stopReading(socket)
  }
}
