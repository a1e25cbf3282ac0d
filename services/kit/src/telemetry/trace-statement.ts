import { type Attributes, activeSpan, markFailed, SpanKind, startChild } from './trace.ts'

const sqlState = /^[\dA-Z]{5}$/

/**
 * Makes a span of a database statement that has just ended.
 * @param operation the statement's name, without any value
 * @param seconds how long it took
 * @param database the database's attributes, by OpenTelemetry's semantic conventions
 * @param error the error that it failed with
 */
export function traceStatement(
  operation: string,
  seconds: number,
  database: Attributes,
  error?: unknown,
): void {
  if (activeSpan() === undefined) return
  const end = performance.now()
  const span = startChild(operation, {
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': operation, ...database },
    startTime: end - seconds * 1000,
  })
  if (span === undefined) return
  if (error !== undefined) {
    const { code } = error as { code?: unknown }
    if (typeof code === 'string' && sqlState.test(code)) span.setAttribute('db.response.status_code', code)
    markFailed(span, typeof code === 'string' ? code : '_OTHER')
  }
  span.end(end)
}
