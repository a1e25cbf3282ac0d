import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'
import { activeSpanContext, isSampled } from './trace.ts'

export type { Logger }

/**
 * The process's log: JSON lines on standard output, or readable ones where a person's terminal is attached.
 * @param service the name every line carries
 * @param level pino's level
 * @param traced whether lines name the trace that they belong to, and the span where it is recorded
 */
export function createLog(service: string, level: string, traced = false): Logger {
  const options: LoggerOptions = { level, base: { service }, ...(traced && { mixin: currentTrace }) }
  if (process.stdout.isTTY) return pino(options, pretty(forPeople))
  return pino(options, standardOutputByTurn())
}

/** One line each, which begins with the time and the service. */
const forPeople = {
  colorize: process.stdout.isTTY && process.stdout.hasColors(),
  translateTime: 'SYS:HH:MM:ss.l',
  messageFormat: '{service}: {msg}',
  ignore: 'service',
  singleLine: true,
  sync: true,
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

function currentTrace(): object {
  const span = activeSpanContext()
  if (span === undefined) return {}
  // A span that is not recorded is nowhere to be found; its trace may be, at the caller's.
  return isSampled(span) ? { trace_id: span.traceId, span_id: span.spanId } : { trace_id: span.traceId }
}
