import type { Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '@gatehouse/http/app'

/** In milliseconds. */
const farewell = 1_000
const lookEvery = 20

/**
 * While the process stops, says with every answer that it is the connection's last (RFC 9112 section 9.6), those under
 * way when it began included: a connection that is closed without a word may have the next request on its way.
 * @param stopping aborted when the process begins to stop
 */
export function announceClosing(app: App, stopping: AbortSignal): void {
  app.addHook('onSend', (_, reply, payload, done) => {
    if (stopping.aborted) reply.raw.shouldKeepAlive = false
    done(null, payload)
  })
}

/**
 * Gives callers who keep a connection time to send one more request and be told. Resolves when nobody is connected any
 * more, and after a second: who was idle for so long is closed.
 */
export async function drainKeepAlive(server: Server): Promise<void> {
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    )
  for (const until = Date.now() + farewell; Date.now() < until && (await connections()) > 0; )
    await sleep(lookEvery)
}
