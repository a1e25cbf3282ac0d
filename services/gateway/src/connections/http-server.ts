import type { RequestListener, Server } from 'node:http'
import { http } from '@gatehouse/kit/node-http'
import { createUnfinishedBodies } from './measured-request.ts'
import type { ConnectionMetrics } from './metrics.ts'

/** What the public HTTP server needs. */
export type HttpServerDeps = {
  metrics: ConnectionMetrics
  /** A monotonic clock, in milliseconds. */
  now(): number
}

/** How often every time-out is checked, in milliseconds. */
const checkEvery = 1_000
/** How long a whole request may take that a guard has let in, in milliseconds: an import has up to 4 MiB. */
const longestRequest = 30_000

/** Creates the public HTTP server, which bounds what strangers may make it hold. It does not listen yet. */
export function createHttpServer(handler: RequestListener, { metrics, now }: HttpServerDeps): Server {
  const bodies = createUnfinishedBodies({ now, ended: metrics.bodyEnded })
  const options = {
    IncomingMessage: bodies.Request,
    connectionsCheckingInterval: checkEvery,
    requestTimeout: longestRequest,
    keepAliveTimeout: 72_000,
    // Node's own answer would not be JSON; refuseBadHeads answers instead.
    requireHostHeader: false,
  }
  const server = http.createServer(options, (request, response) => {
    bodies.expect(request, response)
    handler(request, response)
  })
  const sweeping = setInterval(() => bodies.sweep(), checkEvery).unref()
  server.on('close', () => clearInterval(sweeping))
  return server
}
