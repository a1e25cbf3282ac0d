import { type Logger, pino } from 'pino'

/** One line of a log, as pino writes it; levels: 30 info, 40 warn, 50 error. */
export type LogLine = { level: number; msg: string; [field: string]: unknown }

/** A log whose lines a test can read. */
export function recordedLog(level = 'trace'): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const log = pino({ level, base: null }, { write: (line) => void lines.push(JSON.parse(line)) })
  return { log, lines }
}
