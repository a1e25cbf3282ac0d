import { type Logger, type LoggerOptions, pino } from 'pino'
import pretty from 'pino-pretty'
import { standardOutputByTurn } from './log-output.ts'
import { activeRequestContext, activeSpanContext, isSampled } from './trace.ts'

export type { Logger }

/**
 * Creates the process's log: JSON lines on standard output, or readable lines if it is a terminal.
 * @param service the name every line carries
 * @param level pino's level
 * @param traced whether lines name the trace that they belong to, and the span if it is recorded
 */
export function createLog(service: string, level: string, traced = false): Logger {
  const options: LoggerOptions = { level, base: { service }, ...(traced && { mixin: currentTrace }) }
  if (process.stdout.isTTY) return pino(options, pretty(forPeople))
  return pino(options, standardOutputByTurn(service))
}

/** One line per entry, which begins with the time and the service. */
const forPeople = {
  colorize: process.stdout.isTTY && process.stdout.hasColors(),
  translateTime: 'SYS:HH:MM:ss.l',
  messageFormat: '{service}: {msg}',
  ignore: 'service',
  singleLine: true,
  sync: true,
}

function currentTrace(): object {
  const span = activeRequestContext() ?? activeSpanContext()
  if (span === undefined) return {}
  // Nobody can look up a span that is not recorded, but the caller may have recorded its trace.
  return isSampled(span) ? { trace_id: span.traceId, span_id: span.spanId } : { trace_id: span.traceId }
}
