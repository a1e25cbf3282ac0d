import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'

/** A proxy before a server that can be cut off, harmed and restored. */
export type TcpProxy = {
  port: number
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>
  /** Lets nothing through, and ends no connection: the other side is not told, as in a partitioned network. */
  hold(): void
  /** Lets each piece through only after so many milliseconds. */
  slow(ms: number): void
  /** Ends what `hold` and `slow` began. What was held arrives. */
  release(): void
  close(): Promise<void>
}

/**
 * Starts a proxy before a server.
 * @param own the address at which the proxy listens
 */
export async function startTcpProxy(host: string, port: number, own = '127.0.0.1'): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let delay = 0
  /** What waits for the end of `hold`; undefined when nothing is held. */
  let held: (() => void)[] | undefined

  /** Passes pieces on in their order, each when it may. */
  const passage = () =>
    new Transform({
      transform(chunk, _encoding, done) {
        const pass = () => done(null, chunk)
        if (held) held.push(pass)
        else if (delay > 0) setTimeout(pass, delay)
        else pass()
      },
    })
  const server = createServer((near) => {
    const far = connect({ host, port })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(passage()).pipe(other)
    }
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, own, resolve))
  await listen(0)
  const { port: ownPort } = server.address() as AddressInfo
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    port: ownPort,
    cut,
    mend: () => listen(ownPort),
    hold() {
      held ??= []
    },
    slow(ms) {
      delay = ms
    },
    release() {
      delay = 0
      const waiting = held ?? []
      held = undefined
      for (const pass of waiting) pass()
    },
    close: cut,
  }
}
