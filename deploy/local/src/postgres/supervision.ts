import { messageOf } from '../failure.ts'
import type { Server } from './server.ts'

/** How a server is started again. */
export type SupervisionDeps = {
  /** Starts the server after a delay, in milliseconds. Rejects when the signal is aborted. */
  launch(delay: number, signal: AbortSignal): Promise<Server>
  /** Resolves when the server accepts connections. */
  untilAccepting(server: Server, signal: AbortSignal): Promise<void>
  /** Called with a line for people. */
  log(line: string): void
  logFile: string
}

/** A server that is kept running. */
export type Supervision = {
  /** Resolves when the server accepts connections: at once, unless it is being restarted. */
  accepting(): Promise<void>
  /** Stops the server for good: with a fast shutdown, and after `patience` milliseconds with an immediate one. */
  stop(patience: number): Promise<void>
  /** Ends the server for good without waiting for anything. */
  destroy(): void
}

/** The longest pause between two attempts to start the server, in milliseconds. */
const longestDelay = 5_000

/**
 * Starts a server again whenever it ends by itself.
 * @param first the server, which accepts connections
 */
export function superviseServer(first: Server, deps: SupervisionDeps): Supervision {
  let server = first
  let accepting = Promise.resolve()
  const stopping = new AbortController()

  async function restart(): Promise<void> {
    // PostgreSQL's other processes need a moment to notice that the server ended, and it does not start while they run.
    for (let delay = 0; ; delay = Math.min(Math.max(250, delay * 2), longestDelay)) {
      try {
        server = await deps.launch(delay, stopping.signal)
        return await deps.untilAccepting(server, stopping.signal)
      } catch (error) {
        if (stopping.signal.aborted) return
        if (delay >= longestDelay) deps.log(messageOf(error))
      }
    }
  }

  async function supervise(): Promise<void> {
    for (;;) {
      await server.ended
      if (stopping.signal.aborted) return
      deps.log(`PostgreSQL ended unexpectedly; starting it again (see ${deps.logFile})`)
      accepting = restart()
      await accepting
      // stop() was called while it was starting.
      if (stopping.signal.aborted) return server.stop(1_000)
    }
  }

  const supervision = supervise()
  return {
    accepting: () => accepting,
    async stop(patience) {
      stopping.abort()
      await server.stop(patience)
      await supervision
    },
    destroy() {
      stopping.abort()
      server.destroy()
    },
  }
}
