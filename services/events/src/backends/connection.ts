import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '@gatehouse/kit/telemetry/log'
import { inTime } from '@gatehouse/kit/time/in-time'

/** An open connection. */
export type Connected<Client> = {
  client: Client
  /** Resolves with the reason, for the log, when the connection is lost or closed. */
  lost: Promise<string>
  /** Closes it properly, but does not wait for ever for an engine that does not answer. Never rejects. */
  end(): Promise<void>
  /** Closes it at once, without waiting for the engine. */
  drop(): void
}

/** The needs of keepConnected. */
export type ConnectionDeps<Client> = {
  /** Connects once, within its own time limit. Rejects when events cannot be delivered to the engine. */
  connect(): Promise<Connected<Client>>
  /** Describes an error for the log and for other errors, without credentials. */
  reasonOf(error: unknown): string
  log: Logger
}

/** A connection to an engine that is restored whenever it is lost. */
export type Connection<Client> = {
  /**
   * Makes a delivery. If it takes too long, the connection is dropped.
   * @param signal aborted when the caller no longer waits
   * @throws Error without credentials when there is no connection, the signal aborts or the task fails
   */
  deliver<Result>(signal: AbortSignal, task: (client: Client) => Promise<Result>): Promise<Result>
  isHealthy(): boolean
  close(): Promise<void>
}

/** In milliseconds. */
const firstPause = 100
const longestPause = 5_000

/**
 * Connects, and reconnects whenever the connection is lost, with growing pauses. An outage is logged once when it begins
 * and once when it ends.
 */
export function keepConnected<Client>(deps: ConnectionDeps<Client>): Connection<Client> {
  const { connect, reasonOf, log } = deps
  const closing = new AbortController()
  let current: Connected<Client> | undefined
  let healthy = false
  // Without this, an engine that accepts connections but no events would be logged at every attempt.
  let reported: 'connecting' | 'delivering' | undefined

  const failed = (what: NonNullable<typeof reported>, reason: string) => {
    healthy = false
    if (closing.signal.aborted) return
    if (reported === undefined) log.warn({ reason }, 'events cannot be delivered; retrying')
    reported = reported === 'delivering' ? reported : what
  }
  const succeeded = (what: NonNullable<typeof reported>) => {
    healthy = true
    if (reported === undefined || (reported === 'delivering' && what === 'connecting')) return
    log.info('events can be delivered again')
    reported = undefined
  }

  const keep = async () => {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      try {
        const connected = await connect()
        if (closing.signal.aborted) return await connected.end()
        current = connected
        failures = 0
        succeeded('connecting')
        const reason = await connected.lost
        current = undefined
        failed('connecting', reason)
      } catch (error) {
        failed('connecting', reasonOf(error))
      }
      const longest = Math.min(longestPause, firstPause * 2 ** failures)
      await pause(longest * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(
        () => undefined,
      )
    }
  }
  void keep()

  return {
    async deliver(signal, task) {
      if (current === undefined) throw new Error('there is no connection')
      const used = current
      try {
        const result = await inTime(signal, task(used.client))
        // This confirmation may be processed only after the connection was lost.
        if (current === used) succeeded('delivering')
        return result
      } catch (error) {
        const reason = signal.aborted ? 'it takes too long' : reasonOf(error)
        failed(current === used ? 'delivering' : 'connecting', reason)
        if (signal.aborted) used.drop()
        // Client libraries attach the command to an error, and the command may contain credentials.
        throw new Error(reason)
      }
    },
    isHealthy: () => healthy,
    async close() {
      closing.abort()
      healthy = false
      await current?.end()
    },
  }
}
