import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '@gatehouse/http/app'

/** In milliseconds. */
const farewell = 1_000
const lookEvery = 20

/**
 * While the process stops, sends `Connection: close` with every answer (RFC 9112 section 9.6), also to requests that were
 * under way when it began to stop. A connection that closes without notice could lose a request that is on its way.
 * @param stopping aborted when the process begins to stop
 */
export function announceClosing(app: App, stopping: AbortSignal): void {
  app.addHook('onSend', (_, reply, payload, done) => {
    if (stopping.aborted) reply.raw.shouldKeepAlive = false
    done(null, payload)
  })
}

/**
 * Gives callers with a kept-alive connection time to send one more request and learn that the connection closes. Resolves
 * when no connection is left, at the latest after a second; connections that were idle for so long are closed.
 */
export async function drainKeepAlive(server: Server): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  for (const until = Date.now() + farewell; Date.now() < until && (await connections()) > 0; )
    await sleep(lookEvery)
}
