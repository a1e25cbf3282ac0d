import { markFailed, SpanKind, startChild } from '@gatehouse/kit/telemetry/trace'

/**
 * Records a span around the counting of a request in Redis.
 * @param bucket the limit that it counts for; the span does not say whose count it is
 * @param count resolves to an Error when counting failed
 */
export async function traceCount<Result>(
  bucket: string,
  count: () => Promise<Result | Error>,
): Promise<Result | Error> {
  const span = startChild('EVALSHA count', {
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'redis',
      'db.operation.name': 'EVALSHA',
      'db.stored_procedure.name': 'count',
      'gatehouse.limit.bucket': bucket,
    },
  })
  const result = await count()
  if (span === undefined) return result
  if (result instanceof Error) markFailed(span, (result as NodeJS.ErrnoException).code ?? '_OTHER')
  span.end()
  return result
}
