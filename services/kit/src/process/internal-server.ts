import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bareHost } from '../host.ts'
import { http } from '../node-http.ts'
import type { Registry } from '../telemetry/metrics.ts'

/** The options of the internal listener. */
export type InternalServerOptions = {
  host: string
  port: number
  registry: Registry
  /** Whether the process has started and is not shutting down. */
  isReady(): boolean
}

/**
 * Starts the internal listener, which is never public: /live answers while the event loop runs, /ready reports whether
 * the process has started and is not shutting down, /metrics returns the process's metrics.
 * @returns the server and the port that it listens on
 * @throws the listener's error, with its `code`, when the port is taken
 */
export async function startInternalServer(
  options: InternalServerOptions,
): Promise<{ server: Server; port: number }> {
  const server = http.createServer((request, response) => {
    const text = (status: number, body: string, type = 'text/plain; charset=utf-8') =>
      response.writeHead(status, { 'content-type': type }).end(body)
    if (request.url === '/live') text(200, 'live\n')
    else if (request.url === '/ready') {
      if (options.isReady()) text(200, 'ready\n')
      else text(503, 'not ready\n')
    } else if (request.url === '/metrics') {
      options.registry.metrics().then(
        (body) => text(200, body, options.registry.contentType),
        (error: Error) => text(500, `${error.message}\n`),
      )
    } else text(404, 'The internal port has /live, /ready and /metrics.\n')
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, bareHost(options.host), resolve)
  })
  return { server, port: (server.address() as AddressInfo).port }
}
