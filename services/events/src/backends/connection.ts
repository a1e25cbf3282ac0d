import { setTimeout as pause } from 'node:timers/promises'
import { inTime } from '@gatehouse/kit/in-time'
import type { Logger } from '@gatehouse/kit/log'

/** A connection that was made. */
export type Connected<Client> = {
  client: Client
  /** Resolves, with the reason for the log, when it is lost or ended. */
  lost: Promise<string>
  /** Ends it, also when the engine does not answer. */
  end(): Promise<void>
  /** Ends it at once: the engine does not answer. */
  drop(): void
}

/** What keeping a connection needs. */
export type ConnectionDeps<Client> = {
  /** Connects once, within a time limit of its own; rejects when the engine cannot be delivered to. */
  connect(): Promise<Connected<Client>>
  /** What went wrong, for the log and for errors: without credentials. */
  reasonOf(error: unknown): string
  log: Logger
}

/** A connection to an engine that is made again whenever it is lost. */
export type Connection<Client> = {
  /**
   * Does a delivery. A connection on which it takes too long is given up.
   * @param signal aborted when nobody waits any more
   * @throws Error without credentials: not connected, given up, or what the task throws
   */
  deliver<Result>(signal: AbortSignal, task: (client: Client) => Promise<Result>): Promise<Result>
  isHealthy(): boolean
  close(): Promise<void>
}

/** In milliseconds. */
const firstPause = 100
const longestPause = 5_000

/**
 * Connects, and again whenever the connection is lost, first soon, then less often. That the engine is away is logged
 * once, and once that it is there again.
 */
export function keepConnected<Client>(deps: ConnectionDeps<Client>): Connection<Client> {
  const { connect, reasonOf, log } = deps
  const closing = new AbortController()
  let current: Connected<Client> | undefined
  let healthy = false
  // An engine that takes connections and no events would otherwise be told of at every try.
  let told: 'connecting' | 'delivering' | undefined

  const failed = (what: NonNullable<typeof told>, reason: string) => {
    healthy = false
    if (closing.signal.aborted) return
    if (told === undefined) log.warn({ reason }, 'events cannot be delivered; will be tried again')
    told = told === 'delivering' ? told : what
  }
  const succeeded = (what: NonNullable<typeof told>) => {
    healthy = true
    if (told === undefined || (told === 'delivering' && what === 'connecting')) return
    log.info('events can be delivered again')
    told = undefined
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
        // The last confirmation may be worked off after the connection was lost.
        if (current === used) succeeded('delivering')
        return result
      } catch (error) {
        const reason = signal.aborted ? 'it takes too long' : reasonOf(error)
        failed(current === used ? 'delivering' : 'connecting', reason)
        if (signal.aborted) used.drop()
        // Client libraries hang the command on an error, and that may hold credentials.
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
