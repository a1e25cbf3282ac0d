import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'

const largest = 20 * 1024 * 1024

/**
 * Opens a log for appending, for its owner only. One that has grown past 20 MiB is put aside first (as FILE.1).
 * @returns its file descriptor; the caller closes it
 */
export function openLog(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > largest) renameSync(file, `${file}.1`)
  return openSync(file, 'a', 0o600)
}

/** The size of a log in bytes; 0 when there is none. */
export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** What a log got since it had `from` bytes, 64 KiB at most. */
export function readLog(file: string, from: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const end = fstatSync(descriptor).size
    const start = Math.max(from, end - 65_536)
    const buffer = Buffer.alloc(Math.max(0, end - start))
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, start))
  } finally {
    closeSync(descriptor)
  }
}

/** Pino's number for the level warn; those of worse ones are higher. */
const warn = 40

/** What a service has logged as a warning, or as something worse, since its log had `from` bytes: each once, in one line. */
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
  /** The part of the process that it is about. */
  task?: unknown
  backend?: unknown
  /** Why it happened. */
  reason?: unknown
  err?: { message?: unknown }
}

/** A line that is none of the log's, such as Node.js's own, says nothing. */
function parsed(line: string): LogLine {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}
