import type { Server as HttpServer, RequestListener, ServerOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { ServerCertificate } from './certificate.ts'
import { writeInPieces } from './write-in-pieces.ts'

/** How long a TLS handshake may take, in milliseconds. */
export const longestHandshake = 10_000
/**
 * How many handshakes may be unfinished at once. OpenSSL takes a quarter of a megabyte for one whose peer announces a large first
 * message, four times as much as for an established connection.
 */
export const mostHandshakes = 1_000

/**
 * How many bytes TLS itself may take of a connection besides as many as the content. A message that renews the keys (RFC 8446 section
 * 4.6.3) has 22 bytes and takes as long as many requests.
 */
const mostOverhead = 64 * 1024

/** The needs of HTTPS servers. */
export type HandshakeDeps = {
  certificate: ServerCertificate
  /** Whether the servers ask callers for a certificate, which they need not have (RFC 8446 section 4.3.2). By default they do not. */
  asks?: boolean | undefined
  /** A monotonic clock, in milliseconds. */
  now(): number
  /** Called for each connection that is closed: its handshake took too long, too many were unfinished, or it has too little content. */
  ended(): void
  /** Called for each handshake that failed: its peer left, or the two did not agree. */
  failed(error: NodeJS.ErrnoException): void
  /** Called when a connection is encrypted, with the one below it, which was there from the beginning. */
  finished(below: Socket, socket: TLSSocket): void
}

/** The handshakes of the HTTPS servers of a process. */
export type Handshakes = {
  /** Creates a server that does not listen yet. It speaks HTTP/1.1 only, for which the bounds of this folder are. */
  createServer(options: ServerOptions, handler: RequestListener): HttpServer
  /** Ends those that take too long, and connections with too little content. It must be called every second. */
  sweep(): void
}

/** Bounds what strangers may make a process hold by handshakes that they do not finish. */
export function createHandshakes({
  certificate,
  asks = false,
  now,
  ended,
  failed,
  finished,
}: HandshakeDeps): Handshakes {
  /** The connections without a finished handshake, in the order of their beginning. */
  const unfinished = new Map<Socket, { since: number; server: HttpServer }>()

  /** The encrypted connections, with those below them. */
  const established = new Map<TLSSocket, Socket>()

  function end(socket: Socket): void {
    unfinished.delete(socket)
    ended()
    socket.destroy()
  }

  return {
    createServer(options, handler) {
      // Not imported: a gateway without a certificate does not need it.
      const https = process.getBuiltinModule('node:https')
      // Whether a certificate counts is for the token service to say, so none fails here.
      const asking = asks ? { requestCert: true, rejectUnauthorized: false } : {}
      const server = https.createServer(
        { ...options, ...asking, noDelay: true, ALPNProtocols: ['http/1.1'] },
        handler,
      )
      certificate.showBy(server)
      server.on('connection', (socket: Socket) => {
        unfinished.set(socket, { since: now(), server })
        socket.once('close', () => unfinished.delete(socket))
        const [oldest] = unfinished.size > mostHandshakes ? unfinished.keys() : []
        if (oldest) end(oldest)
      })
      // Before Node's own listener, which may begin to read a request.
      server.prependListener('secureConnection', (socket: TLSSocket) => {
        const below = belowOf(socket)
        if (below === undefined) return void socket.destroy()
        unfinished.delete(below)
        established.set(socket, below)
        socket.once('close', () => established.delete(socket))
        writeInPieces(socket)
        finished(below, socket)
      })
      // Node's own listener would answer a peer that has no keys yet as if it had sent a broken request.
      server.removeAllListeners('tlsClientError')
      server.on('tlsClientError', failed)
      return server
    },
    sweep() {
      for (const [socket, { since, server }] of unfinished) {
        // A server that closes waits for its connections.
        if (now() - since > longestHandshake || !server.listening) end(socket)
      }
      for (const [socket, below] of established) {
        if (below.bytesRead - socket.bytesRead > mostOverhead + socket.bytesRead) end(socket)
      }
    },
  }
}

/** The connection below an encrypted one, which only Node's handle of it names. */
function belowOf(socket: TLSSocket & { _handle?: { _parentWrap?: Socket } | null }): Socket | undefined {
  return socket._handle?._parentWrap
}
