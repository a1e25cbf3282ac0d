import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '@gatehouse/http/app'

/** The server at OAUTH2_MTLS_PORT, which asks callers for a certificate. */
export type MutualTlsServer = {
  /** Whether a connection is one to it. */
  has(socket: Socket): boolean
  /** Listens, until the app closes. @throws the error of the port */
  listen(options: { host: string; port: number; backlog: number }): Promise<Server>
}

/**
 * Creates the server at OAUTH2_MTLS_PORT, which gives its requests to the same routes. Nothing but the caller can write a header of these
 * requests, so none says where they come from, whichever proxies are trusted elsewhere.
 * @param makeServer makes a server within the bounds of the others, with `asks` one that asks for certificates
 * @param onBroken answers requests that Node cannot parse
 */
export function createMutualTlsServer(
  app: App,
  makeServer: (handler: RequestListener, asks: boolean) => Server,
  onBroken: (error: Error, socket: Socket) => void,
): MutualTlsServer {
  const server = makeServer((request, response) => {
    dropForwarded(request)
    app.routing(request, response)
  }, true)
  const sockets = new WeakSet<Socket>()
  server.on('clientError', onBroken)
  // Before Node's own listener, which may begin to read a request.
  server.prependListener('secureConnection', (socket: Socket) => void sockets.add(socket))
  app.addHook('preClose', async () => {
    server.close()
    server.closeIdleConnections()
  })
  return {
    has: (socket) => sockets.has(socket),
    async listen(options) {
      await app.ready()
      await once(server.listen(options), 'listening')
      return server
    },
  }
}

/** The headers in which proxies tell about the caller: X-Forwarded-*, Forwarded (RFC 7239), X-Real-IP. */
const forwarded = /^(x-forwarded-.*|forwarded|x-real-ip)$/

/** Those of certificates stay in `rawHeaders`, for which `takeCertificates` refuses the request. */
function dropForwarded({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (forwarded.test(name)) delete headers[name]
}
