import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }

/**
 * The process's log: JSON lines on standard output, or readable ones where a person's terminal is attached.
 * @param service the name every line carries
 * @param level pino's level
 */
export function createLog(service: string, level: string): Logger {
  const options = { level, base: { service } }
  if (process.stdout.isTTY)
    return pino(options, pretty({ colorize: true, ignore: 'pid,hostname', sync: true }))
  return pino(options, standardOutputByTurn())
}

/**
 * Standard output, written once at the end of each turn of the event loop: a write a line would be a tenth of what a
 * small request costs.
 */
function standardOutputByTurn(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true })
  let lines = ''
  const flush = () => {
    // Not flushSync(), which also waits for the disk.
    output.write(lines)
    lines = ''
  }
  process.on('exit', () => lines && flush())
  return {
    write(line) {
      if (lines === '') setImmediate(flush)
      lines += line
    },
  }
}
