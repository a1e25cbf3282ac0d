import { startTcpProxy, type TcpProxy } from '@gatehouse/test/servers/tcp-proxy'

/** The connections of one process to one server, which a fault can hold up, slow down or cut. */
export type Link = { from: string; to: string; proxy: TcpProxy }

/** All links of a system. */
export type Links = {
  all: readonly Link[]
  /** Adds a link. @returns the port at which the process finds the server */
  add(from: string, to: string, port: number): Promise<number>
}

/** Creates an empty set of links. @param stack gets what closes them */
export function createLinks(stack: AsyncDisposableStack): Links {
  const all: Link[] = []
  stack.defer(
    async () => void (await Promise.all(all.map(({ proxy }) => proxy.close().catch(() => undefined)))),
  )
  return {
    all,
    async add(from, to, port) {
      const proxy = await startTcpProxy('127.0.0.1', port)
      all.push({ from, to, proxy })
      return proxy.port
    },
  }
}
