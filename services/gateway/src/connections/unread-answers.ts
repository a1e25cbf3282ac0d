import type { Socket } from 'node:net'

/** How long a peer may take none of an answer that waits for it, in milliseconds. */
export const longestUnread = 10_000

/** As much of Node's handle of a socket as tells whether its peer reads. Node's own time-out of a socket looks at it, too. */
type Handle = { writeQueueSize?: number } | null

/** Notices which peers no longer read. */
export type UnreadAnswers = {
  /** Looks at a connection; must be called every second. @returns whether its peer has read nothing for too long */
  isUnread(socket: Socket): boolean
}

/** Creates it. @param now a monotonic clock, in milliseconds */
export function createUnreadAnswers(now: () => number): UnreadAnswers {
  const stalled = new WeakMap<Socket, { queued: number; sent: number; since: number }>()
  return {
    isUnread(socket) {
      // TLS answers some messages by itself, past the stream.
      const queued = (socket as Socket & { _handle?: Handle })._handle?.writeQueueSize ?? 0
      if (socket.writableLength === 0 && queued === 0) {
        stalled.delete(socket)
        return false
      }
      const sent = socket.bytesWritten - socket.writableLength
      const before = stalled.get(socket)
      if (before?.queued === queued && before.sent === sent) return now() - before.since >= longestUnread
      stalled.set(socket, { queued, sent, since: now() })
      return false
    },
  }
}
