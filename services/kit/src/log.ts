import { type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }

/**
 * The process's log: JSON lines on standard output, or readable ones where a person's terminal is attached.
 * @param service the name every line carries
 * @param level pino's level
 */
export function createLog(service: string, level: string): Logger {
  const options = { level, base: { service } }
  if (process.stdout.isTTY) return pino(options, pretty({ colorize: true, ignore: 'pid,hostname', sync: true }))
  // A lone line is written at once; under load, those that gather during a write leave with the next. At the end of
  // the process pino writes what is left.
  return pino(options, pino.destination({ dest: 1, sync: false }))
}
