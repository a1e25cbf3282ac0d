import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'

/** In bytes. A log that has grown past this becomes FILE.1. */
const largest = 20 * 1024 * 1024

/** How often the sizes of the logs are looked at, in milliseconds. */
const lookEvery = 5_000

/**
 * Opens a log for appending, readable only by its owner. If it has grown past 20 MiB it is first renamed to FILE.1.
 * @returns its file descriptor; the caller closes it
 */
export function openLog(file: string): number {
  if (logSize(file) > largest) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

/** The size of a log in bytes; 0 when there is none. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The part of a log after its first `from` bytes, at most 64 KiB; all of it when it has become shorter; empty when there is none. */
export function readLog(file: string, from: number): string {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return ''
  const descriptor = openSync(file, 'r')
  try {
    const end = fstatSync(descriptor).size
    const start = Math.max(from > end ? 0 : from, end - 65_536)
    const buffer = Buffer.alloc(Math.max(0, end - start))
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, start))
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Returns a function that appends to open logs, and that drops what finds no room. It tells of the first loss, and of the next one only
 * after it could write again.
 * @param say called with a line for people
 */
export function createLogWriter(say: (line: string) => void): LogWriter {
  let losing = false
  return (descriptor, text, file) => {
    try {
      writeSync(descriptor, text)
      losing = false
    } catch (error) {
      if (losing) return
      losing = true
      const { code } = error as NodeJS.ErrnoException
      say(`${file} cannot be written (${code}): lines of the logs are lost until there is room on the disk`)
    }
  }
}

/** Appends to a log, whose file name is only for people. Never throws. */
export type LogWriter = (descriptor: number, text: Uint8Array, file: string) => void

/**
 * Looks after the logs in a directory while processes write into them: a log past its largest size is copied to FILE.1 and emptied. Its
 * writers append, so they go on at its new end.
 * @param say called with a line for people when a log could not be kept, once until one could be
 * @param options.size the largest size in bytes, 20 MiB by default
 * @param options.every how often it looks, in milliseconds
 * @returns ends it
 */
export function keepLogsSmall(
  directory: string,
  say: (line: string) => void,
  { size = largest, every = lookEvery } = {},
): () => void {
  let failing = false
  const timer = setInterval(() => {
    try {
      for (const name of readdirSync(directory)) {
        const file = join(directory, name)
        if (name.endsWith('.log') && logSize(file) > size) rotate(file)
      }
      failing = false
    } catch (error) {
      if (!failing) say(`The logs in ${directory} cannot be kept small (${(error as Error).message})`)
      failing = true
    }
  }, every)
  return () => clearInterval(timer)
}

/** Its writers hold the file open, so it cannot be renamed. A line that comes between the end of the copy and the cut is lost. */
function rotate(file: string): void {
  const earlier = `${file}.1`
  // First the room of the earlier one, for a disk that is almost full.
  rmSync(earlier, { force: true })
  try {
    copyAll(file, earlier)
  } catch {
    // The log would fill up a disk that has no room for a copy.
    rmSync(earlier, { force: true })
  }
  truncateSync(file)
}

/** Copies a file with what is written into it meanwhile, as copyFile does not. */
function copyAll(file: string, target: string): void {
  const [from, to] = [openSync(file, 'r'), openSync(target, 'w', 0o600)]
  try {
    const buffer = Buffer.alloc(1024 * 1024)
    for (let length = 1; length > 0; ) {
      length = readSync(from, buffer)
      writeFileSync(to, buffer.subarray(0, length))
    }
  } finally {
    closeSync(from)
    closeSync(to)
  }
}

/** Pino's number for the level warn; more severe levels have higher numbers. */
const warn = 40

/** The warnings and errors that a service has logged after the first `from` bytes of its log: each once, on one line. */
export function warningsIn(file: string, from: number): Set<string> {
  const lines = readLog(file, from).split('\n').map(parsed)
  const warnings = lines.filter(({ level }) => typeof level === 'number' && level >= warn)
  return new Set(
    warnings.map(({ task, backend, msg, reason, err }) => {
      const part = task ?? backend
      const why = reason ?? err?.message
      return `${part ? `${part}: ` : ''}${msg}${why ? ` (${why})` : ''}`
    }),
  )
}

type LogLine = {
  level?: unknown
  msg?: unknown
  /** The part of the process that logged it. */
  task?: unknown
  backend?: unknown
  /** Why it happened. */
  reason?: unknown
  err?: { message?: unknown }
}

/** Ignores lines that are not JSON, such as Node.js's own. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}
