import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection between processes that can be harmed. */
export type Link = {
  port: number
  /** Lets nothing through, and ends no connection: the other side is not told, as in a partitioned network. */
  hold(): void
  /** Lets everything through only after so many milliseconds. */
  slow(ms: number): void
  /** Ends the harm. What was held arrives. */
  release(): void
  close(): void
}

/** Starts a link to a server on 127.0.0.1. */
export async function startLink(port: number): Promise<Link> {
  const sockets = new Set<Socket>()
  let held = false
  let delay = 0
  const server = createServer((near) => {
    const far = connect({ host: '127.0.0.1', port })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('data', (chunk) => {
        if (delay === 0) other.write(chunk)
        else setTimeout(() => other.writable && other.write(chunk), delay)
      })
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      if (held) socket.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      held = true
      for (const socket of sockets) socket.pause()
    },
    slow(ms) {
      delay = ms
    },
    release() {
      held = false
      delay = 0
      for (const socket of sockets) socket.resume()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
