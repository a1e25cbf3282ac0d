import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy before a server that can be cut off and restored. */
export type TcpProxy = {
  port: number
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again, on the same port. */
  mend(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts a proxy before a server.
 * @param own the address at which the proxy listens
 */
export async function startTcpProxy(host: string, port: number, own = '127.0.0.1'): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
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
      socket.pipe(other)
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
  return { port: ownPort, cut, mend: () => listen(ownPort), close: cut }
}
