import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { messageOf, StartFailure } from './failure.ts'
import { createLogWriter, type LogWriter, logSize, openLog, warningsIn } from './logs.ts'

/** sysexits.h's EX_CONFIG: the configuration is invalid, and the process has written why to stderr. */
const badSetup = 78
/** The number of crashes before the first `ready` after which the start has failed. */
const startAttempts = 3
const firstDelay = 250
const longestDelay = 5_000
/** A process that has run for this long counts as healthy again. */
const healthyAfter = 30_000

export type ServiceOptions = {
  name: string
  /** The file that Node.js runs. */
  entry: string
  nodeFlags: string[]
  /** The whole environment of the process. */
  environment: Record<string, string>
  logFile: string
  /** Appends to the log; by default a writer of its own, which says a loss by itself. */
  write?: LogWriter
  /** Called with a line for people. */
  log: (line: string) => void
  /** Called with each warning that the process logged before it served for the first time. */
  warned?: (name: string, warning: string) => void
  /** Called when the process ended unexpectedly. */
  onCrash?: (name: string) => void
  /** Awaited before the process is started again. */
  beforeRestart?: () => Promise<void>
  /** How long the first start may take, in milliseconds. */
  startTimeout?: number
}

/** A service that is kept running. */
export type RunningService = {
  name: string
  /** Its current process; undefined while it has none. */
  readonly pid: number | undefined
  /** Resolves when it serves for the first time; rejects with a StartFailure when it never will. */
  ready: Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Stops it for good. Resolves when it has ended. */
  stop(): Promise<void>
  /** Kills it and the processes that it started. */
  destroy(): void
}

/**
 * Starts a service's process, and restarts it whenever it ends by itself.
 * A process sends the message `{ type: 'ready' }` when it serves, ends on SIGTERM and when its channel to the launcher
 * closes (so that a killed launcher leaves no process behind), and exits with 78 when a restart would not help.
 */
export function runService(options: ServiceOptions): RunningService {
  const { name, log, logFile } = options
  const first = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  // A caller that only stops the service need not handle the rejection.
  first.promise.catch(() => {})
  let child: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let served = false
  let crashes = 0
  let delay = firstDelay

  const timeout = setTimeout(() => {
    giveUp(`${name} did not start within ${(options.startTimeout ?? 30_000) / 1000} s: see ${logFile}`)
  }, options.startTimeout ?? 30_000)

  function giveUp(message: string): void {
    if (served) return
    clearTimeout(timeout)
    first.reject(new StartFailure(message))
  }

  function launch(): void {
    timer = undefined
    const began = performance.now()
    const logged = logSize(logFile)
    child = spawnService(options, {
      serving() {
        if (!served) for (const warning of warningsIn(logFile, logged)) options.warned?.(name, warning)
        served = true
        clearTimeout(timeout)
        first.resolve()
      },
      ended(code, signal, errorOutput) {
        child = undefined
        if (stopping) ended.resolve()
        else onEnd(code, signal, errorOutput, performance.now() - began)
      },
    })
  }

  function onEnd(code: number | null, signal: string | null, errorOutput: string, lasted: number): void {
    const how = signal ? `signal ${signal}` : (errorLine(errorOutput) ?? `code ${code}`)
    const reason = code === badSetup ? ownLines(name, errorOutput) : ''
    crashes++
    if (!served && (code === badSetup || crashes >= startAttempts)) {
      giveUp(reason || `${name} crashed at every start (${how}): see ${logFile}`)
      return
    }
    if (lasted > healthyAfter) delay = firstDelay
    // The attempts before it has served are one start, whose result is reported at its end.
    if (served) {
      log(`${name} stopped unexpectedly (${reason.split('\n')[0] || how}); starting it again`)
      options.onCrash?.(name)
    }
    relaunchLater()
  }

  function relaunchLater(): void {
    timer = setTimeout(relaunch, delay)
    delay = Math.min(delay * 2, longestDelay)
  }

  async function relaunch(): Promise<void> {
    try {
      await options.beforeRestart?.()
      if (!stopping) launch()
    } catch (error) {
      // Its log cannot be opened, for example.
      log(`${name} cannot be started now: ${messageOf(error)}`)
      if (!stopping) relaunchLater()
    }
  }

  launch()
  return {
    name,
    get pid() {
      return child?.pid
    },
    ready: first.promise,
    kill(signal) {
      child?.kill(signal)
    },
    stop() {
      // A second SIGTERM would end it at once, because its handler is gone by then.
      if (stopping) return ended.promise
      stopping = true
      clearTimeout(timeout)
      clearTimeout(timer)
      if (child) child.kill('SIGTERM')
      else ended.resolve()
      return ended.promise
    },
    destroy() {
      stopping = true
      clearTimeout(timer)
      if (child?.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    },
  }
}

type Listener = {
  /** Called when the process says that it serves. */
  serving(): void
  /** @param errorOutput the end of what it wrote to its standard error */
  ended(code: number | null, signal: NodeJS.Signals | null, errorOutput: string): void
}

/** Starts the process of a service, with its log in its file. */
function spawnService(
  { nodeFlags, entry, environment, logFile, log, write = createLogWriter(log) }: ServiceOptions,
  listener: Listener,
) {
  const output = openLog(logFile)
  const child = spawn(process.execPath, [...nodeFlags, entry], {
    env: environment,
    // Its log goes straight to the file, so that the launcher does not slow a busy service down.
    stdio: ['ignore', output, 'pipe', 'ipc'],
    // A terminal's Ctrl-C must only reach the launcher, which stops everything in order.
    detached: true,
  })
  let errorOutput = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    write(output, chunk, logFile)
    errorOutput = (errorOutput + chunk).slice(-8_192)
  })
  child.on('message', (message) => {
    if ((message as { type?: unknown } | null)?.type === 'ready') listener.serving()
  })
  child.once('error', (error) => {
    errorOutput = messageOf(error)
    if (child.pid === undefined) settle(null, null)
  })
  child.once('close', settle)
  return child

  function settle(code: number | null, signal: NodeJS.Signals | null): void {
    closeSync(output)
    listener.ended(code, signal, errorOutput.trim())
  }
}

/** The lines that a service wrote itself: each begins with its name. Node.js may have written other lines. */
function ownLines(name: string, errorOutput: string): string {
  const lines = errorOutput.split('\n')
  const own = lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2))
  return (own.length > 0 ? own : lines).join('\n')
}

/** The error that ended a process, without its stack and without the service's name. */
function errorLine(errorOutput: string): string | undefined {
  const pattern = /^(?:[\w-]+: )?(\w*Error\b.*: .+)/m
  return pattern.exec(errorOutput)?.[1]
}
