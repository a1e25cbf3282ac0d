import type { RequestListener, Server } from 'node:http'
import { http } from '@gatehouse/kit/node-http'
import type { ServerCertificate } from './certificate.ts'
import { createHandshakes } from './handshakes.ts'
import { inTurn } from './in-turn.ts'
import type { ConnectionMetrics } from './metrics.ts'
import { type ConnectionBounds, createOpenConnections } from './open-connections.ts'
import { createUnfinishedBodies } from './unfinished-bodies.ts'
import { createUnreadAnswers } from './unread-answers.ts'

/** The needs of the public HTTP servers. */
export type HttpServerDeps = {
  bounds: ConnectionBounds & {
    /** How long an idle connection is kept, in milliseconds. */
    keepAlive: number
  }
  /** With it the servers speak HTTPS, without it HTTP. */
  certificate?: ServerCertificate | undefined
  /** With it there may be servers that ask callers for a certificate, and show this one. */
  askingCertificate?: ServerCertificate | undefined
  metrics: ConnectionMetrics
  /** A monotonic clock, in milliseconds. */
  now(): number
}

/** How often every time-out is checked, in milliseconds. */
const checkEvery = 1_000
/** How long the head of a request may take, in milliseconds. */
const longestHead = 10_000
/** How long a whole request may take that a guard has let in, in milliseconds: an import has up to 4 MiB. */
const longestRequest = 30_000

/**
 * Creates the bounds of what strangers may make the public HTTP servers of a process hold together: at a host with several addresses,
 * fastify listens with a server for each.
 * @returns a function that creates a server, which does not listen yet, and with `asks` one that asks callers for a certificate
 */
export function httpServers({
  bounds,
  certificate,
  askingCertificate,
  metrics,
  now,
}: HttpServerDeps): (handler: RequestListener, asks?: boolean) => Server {
  const bodies = createUnfinishedBodies({ now, ended: metrics.bodyEnded })
  const connections = createOpenConnections(bounds, metrics.closed)
  const answers = createUnreadAnswers(now)
  const handshakesWith = (shown: ServerCertificate | undefined, asks: boolean) =>
    shown &&
    createHandshakes({
      ...{ certificate: shown, asks, now },
      ended: () => metrics.closed('handshake'),
      failed: metrics.handshakeFailed,
      finished: connections.secure,
    })
  const handshakes = handshakesWith(certificate, false)
  const askingHandshakes = handshakesWith(askingCertificate, true)
  metrics.watch(connections.count)
  const options = {
    IncomingMessage: bodies.Request,
    connectionsCheckingInterval: checkEvery,
    headersTimeout: longestHead,
    requestTimeout: longestRequest,
    keepAliveTimeout: bounds.keepAlive,
    // Node's own answer would not be JSON; refuseBadHeads answers instead.
    requireHostHeader: false,
  }
  const servers = new Set<Server>()
  let sweeping: NodeJS.Timeout | undefined

  function sweep(): void {
    bodies.sweep()
    handshakes?.sweep()
    askingHandshakes?.sweep()
    for (const socket of connections.all()) {
      if (!answers.isUnread(socket)) continue
      metrics.closed('unread')
      socket.destroy()
    }
  }

  return (handler, asks = false) => {
    const handle = inTurn({
      wait: bodies.wait,
      begin(request, response) {
        bodies.beginTurn(request)
        handler(request, response)
      },
      answered(request) {
        bodies.answered(request)
        connections.rest(request.socket)
      },
      ended: () => metrics.closed('pipelined'),
    })
    const { createServer } = (asks ? askingHandshakes : handshakes) ?? http
    const server = createServer(options, (request, response) => {
      bodies.expect(request)
      connections.begin(request.socket)
      handle(request, response)
    })
    // Node would answer 417; RFC 9110 section 10.1.1 lets a server ignore an unknown expectation.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    // Where callers prove their keys, nothing in front of the gateway tells whose connection it is.
    server.on('connection', (socket) => connections.open(socket, asks))
    // A server that does not listen has nothing to sweep, and the timer would keep all of it in memory.
    server.on('listening', () => {
      servers.add(server)
      sweeping ??= setInterval(sweep, checkEvery).unref()
    })
    server.on('close', () => {
      servers.delete(server)
      if (servers.size > 0) return
      clearInterval(sweeping)
      sweeping = undefined
    })
    return server
  }
}
