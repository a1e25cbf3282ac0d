import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address for several servers, which balances connections as a Kubernetes Service does. */
export type TcpBalancer = {
  port: number
  /** Adds a server for new connections. */
  add(host: string, port: number): void
  /** Removes a server for new connections; open ones stay until one side closes them. */
  remove(host: string, port: number): void
  close(): Promise<void>
}

/** Starts a balancer on 127.0.0.1. New connections go to the servers in turn; without a server they are closed. */
export async function startTcpBalancer(): Promise<TcpBalancer> {
  const sockets = new Set<Socket>()
  let endpoints: { host: string; port: number }[] = []
  let turn = 0
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const endpoint = endpoints[turn++ % endpoints.length]
    if (endpoint === undefined) {
      near.destroy()
      return
    }
    const far = connect({ ...endpoint, allowHalfOpen: true, noDelay: true })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.resetAndDestroy())
      socket.on('close', () => sockets.delete(socket))
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const others = (host: string, port: number) =>
    endpoints.filter((one) => one.host !== host || one.port !== port)
  return {
    port: (server.address() as AddressInfo).port,
    add(host, port) {
      endpoints = [...others(host, port), { host, port }]
    },
    remove(host, port) {
      endpoints = others(host, port)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
