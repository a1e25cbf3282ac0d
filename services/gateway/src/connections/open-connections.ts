import type { Socket } from 'node:net'
import { createCounts } from '@gatehouse/kit/counts'
import { networkOf } from '@gatehouse/kit/network'

/** Why a connection was closed by the bounds. */
export const closingReasons = ['address', 'idle', 'full', 'unread', 'pipelined', 'handshake'] as const
/** One of the reasons. */
export type ClosingReason = (typeof closingReasons)[number]

/** How many connections may be open. */
export type ConnectionBounds = {
  /** In all. */
  most: number
  /** From one address. */
  mostOfAddress: number
  /** Whether an address is that of a proxy, which carries everybody. */
  isProxy(address: string): boolean
}

/** The connections of a server. */
export type OpenConnections = {
  /**
   * Notes a new connection. It or an idle one is closed where there are too many.
   * @param direct whether it counts by its address also where that is a proxy's
   */
  open(socket: Socket, direct: boolean): void
  /** Notes that a connection is encrypted from now on: it is the second in place of the first, which is below it. */
  secure(below: Socket, socket: Socket): void
  /** Notes that a request has come whose answer is due. */
  begin(socket: Socket): void
  /** Notes that an answer was sent. */
  rest(socket: Socket): void
  all(): Iterable<Socket>
  count(): number
}

/**
 * Bounds the connections of a server. Where there are too many in all, the one is closed that has been idle for longest, first of
 * those that never sent a whole request: so idle connections, however many, keep nobody away.
 * @param closed called for each connection that is closed
 */
export function createOpenConnections(
  { most, mostOfAddress, isProxy }: ConnectionBounds,
  closed: (reason: ClosingReason) => void,
): OpenConnections {
  const sockets = new Set<Socket>()
  /** Both in the order in which they became idle. */
  const unused = new Set<Socket>()
  const idle = new Set<Socket>()
  const counts = createCounts()
  /** How many answers are due. */
  const due = new WeakMap<Socket, number>()

  function close(socket: Socket, reason: ClosingReason): void {
    closed(reason)
    forget(socket)
    socket.destroy()
  }

  function forget(socket: Socket): void {
    sockets.delete(socket)
    unused.delete(socket)
    idle.delete(socket)
  }

  /** @returns whether the address may have one more */
  function countAddress(socket: Socket, direct: boolean): boolean {
    const address = socket.remoteAddress ?? ''
    if (!direct && isProxy(address)) return true
    const network = networkOf(address)
    if (counts.of(network) >= mostOfAddress) return false
    counts.add(network)
    socket.once('close', () => counts.remove(network))
    return true
  }

  function add(socket: Socket): void {
    sockets.add(socket)
    unused.add(socket)
    socket.once('close', () => forget(socket))
  }

  return {
    open(socket, direct) {
      if (!countAddress(socket, direct)) return close(socket, 'address')
      if (sockets.size >= most) {
        const [oldest] = unused.size > 0 ? unused : idle
        if (oldest === undefined) return close(socket, 'full')
        close(oldest, 'idle')
      }
      add(socket)
    },
    secure(below, socket) {
      forget(below)
      add(socket)
    },
    begin(socket) {
      due.set(socket, (due.get(socket) ?? 0) + 1)
      unused.delete(socket)
      idle.delete(socket)
    },
    rest(socket) {
      const left = (due.get(socket) ?? 1) - 1
      due.set(socket, left)
      if (left === 0 && sockets.has(socket)) idle.add(socket)
    },
    all: () => sockets,
    count: () => sockets.size,
  }
}
