import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server that can be cut and mended. */
export type TcpProxy = {
  port: number
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  /** Takes connections again, on the same port. */
  mend(): Promise<void>
  close(): Promise<void>
}

/** Starts a proxy on 127.0.0.1 before a server. */
export async function startTcpProxy(host: string, port: number): Promise<TcpProxy> {
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
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const own = (server.address() as AddressInfo).port
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return { port: own, cut, mend: () => listen(own), close: cut }
}
