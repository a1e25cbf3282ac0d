import { markFailed, SpanKind, startChild } from '@gatehouse/kit/trace'

/**
 * Counts a request in Redis, with a span of its own.
 * @param bucket what it is counted in; whose count it is, the span does not say
 * @param count resolves to an Error where it failed
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
