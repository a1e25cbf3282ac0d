import type { IncomingHttpHeaders } from 'node:http'
import { answerLifetime } from '@gatehouse/kit/fetch/answer-lifetime'

/**
 * How long a document is used without reading it again, in seconds: at least a minute, at most a day. Without a Cache-Control that says so
 * it is the shortest time.
 */
export function documentLifetime(headers: IncomingHttpHeaders): number {
  return answerLifetime(headers, { shortest: 60, longest: 86_400, unsaid: 60 })
}
