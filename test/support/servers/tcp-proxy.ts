import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A proxy before a server that can be cut off, held up and slowed down, and restored. */
export type TcpProxy = {
  port: number
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again, on the same port, and lets everything pass at once. */
  mend(): Promise<void>
  /** Lets nothing pass until it is mended, as a network does that loses all packets: connections stay open. */
  hold(): void
  /** Lets everything pass later from now on. @param ms milliseconds */
  slow(ms: number): void
  close(): Promise<void>
}

/**
 * Starts a proxy before a server.
 * @param own the address at which the proxy listens
 */
export async function startTcpProxy(host: string, port: number, own = '127.0.0.1'): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let delay = 0
  let held: PromiseWithResolvers<void> | undefined

  /** Waits as long as the network takes. */
  async function passage(): Promise<void> {
    if (delay > 0) await sleep(delay)
    // It may be held up again.
    while (held) await held.promise
  }

  function forward(from: Socket, to: Socket): void {
    let waiting = Promise.resolve()
    from.on('data', async (chunk: Buffer) => {
      if (delay > 0 || held) {
        from.pause()
        waiting = passage()
        await waiting
        from.resume()
      }
      if (to.destroyed || to.write(chunk)) return
      from.pause()
      to.once('drain', () => from.resume())
    })
    from.on('end', () => to.end())
    from.on('error', () => undefined)
    from.on('close', async () => {
      sockets.delete(from)
      // Sent bytes arrive, even if their sender is gone by then.
      await waiting
      to.destroySoon()
    })
  }

  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host, port, noDelay: true })
    sockets.add(near).add(far)
    forward(near, far)
    forward(far, near)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, own, resolve))
  await listen(0)
  const { port: ownPort } = server.address() as AddressInfo
  function letPass(): void {
    delay = 0
    held?.resolve()
    held = undefined
  }
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
      letPass()
    })
  return {
    port: ownPort,
    cut,
    async mend() {
      letPass()
      if (!server.listening) await listen(ownPort)
    },
    hold() {
      held ??= Promise.withResolvers()
    },
    slow(ms) {
      delay = ms
    },
    close: cut,
  }
}
