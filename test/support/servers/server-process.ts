import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endWithUs } from '../programs/end-with-us.ts'

/** A real server with its own data, which survive a kill. */
export type ServerProcess = {
  /** Starts it unless it runs, and resolves when it accepts clients. */
  start(): Promise<void>
  /** Kills it and the processes that it started, as `kill -9` does. */
  kill(): Promise<void>
  /** Suspends it: it does not answer, and its connections stay open. */
  suspend(): void
  resume(): void
  /** Ends it and removes its data. */
  close(): Promise<void>
}

/** How a server is run. */
export type ServerCommand = {
  path: string
  argv: string[]
  environment?: Record<string, string>
  /** Rejects while it does not accept clients. */
  probe(): Promise<unknown>
  /** How long a start may take, in milliseconds; by default a minute. */
  startTimeout?: number
}

/**
 * Prepares a server, without starting it.
 * @param commandIn returns the command that runs it with its data in a given directory
 */
export async function prepareServer(
  commandIn: (directory: string) => Promise<ServerCommand>,
): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-server-'))
  const { path, argv, environment, probe, startTimeout = 60_000 } = await commandIn(directory)
  let running: ChildProcess | undefined
  const isRunning = () => running !== undefined && running.exitCode === null && running.signalCode === null
  // A server may be a script with children, so signals go to the whole process group.
  const signal = (name: NodeJS.Signals) => {
    if (isRunning()) process.kill(-(running?.pid as number), name)
  }

  async function kill() {
    const ended = isRunning() ? once(running as ChildProcess, 'exit') : undefined
    signal('SIGKILL')
    await ended
  }

  return {
    async start() {
      if (isRunning()) return
      running = spawn(path, argv, {
        stdio: 'ignore',
        detached: true,
        env: { ...process.env, ...environment },
      })
      endWithUs(running, () => signal('SIGKILL'))
      const deadline = Date.now() + startTimeout
      for (;;) {
        const failure = await probe().then(
          () => undefined,
          (error: unknown) => error as Error,
        )
        if (failure === undefined) return
        if (!isRunning()) throw new Error(`${path} ended with ${running.exitCode ?? running.signalCode}`)
        if (Date.now() > deadline) throw new Error(`${path} takes no clients`, { cause: failure })
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
    kill,
    suspend: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async close() {
      await kill()
      await rm(directory, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Ports of 127.0.0.1 that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const listeners = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(listeners.map((listener) => once(listener, 'listening')))
  const ports = listeners.map((listener) => (listener.address() as AddressInfo).port)
  await Promise.all(listeners.map((listener) => new Promise((resolve) => listener.close(resolve))))
  return ports
}
