import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'

const largest = 20 * 1024 * 1024

/**
 * Opens a log for appending, readable only by its owner. If it has grown past 20 MiB it is first renamed to FILE.1.
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

/** The part of a log after its first `from` bytes, at most 64 KiB. */
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
