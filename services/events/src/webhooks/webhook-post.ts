import type { Answer, Fetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { http } from '@gatehouse/kit/node-http'
import type { BackendDeps, OutgoingEvent, WebhookAttempt } from '../envelopes/backend.ts'
import { structuredCloudEvent } from '../envelopes/cloud-event.ts'
import type { Tries } from './deliveries-tried.ts'
import type { Trust } from './receiver-trust.ts'
import { signatureHeaders } from './webhook-signature.ts'

/** How many refused events in a row are the receiver's failure, for example a wrong secret. Fewer are that of the events. */
const refusesAll = 10
/** The longest Retry-After that is respected, in milliseconds. */
const longestRetryAfter = 300_000
/** How long after it answered an event the receiver is not blamed for others, in milliseconds. */
const blameless = 1_000

/** The needs of createPoster. */
export type PosterDeps = Pick<BackendDeps, 'refused' | 'attempted'> & {
  url: URL
  keys: readonly Buffer[]
  fetcher: Pick<Fetcher, 'post'>
  tries: Pick<Tries, 'begun' | 'failed' | 'answered' | 'isSuspect'>
  trust: Pick<Trust, 'answered' | 'askedToWait'>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** Posts events. */
export type Poster = {
  /** @throws Error when the event must be sent again */
  post(event: OutgoingEvent, signal: AbortSignal): Promise<void>
  isHealthy(): boolean
}

/** Creates what posts an event and notes what became of it. */
export function createPoster(deps: PosterDeps): Poster {
  const { refused, attempted, url, keys, fetcher, tries, trust, now } = deps
  let healthy = true
  let refusedInRow = 0
  let answeredAt = Number.NEGATIVE_INFINITY

  const failed = (event: OutgoingEvent, wait = 0) => {
    // An event that fails beside others that are accepted is no failure of the receiver.
    if (!tries.isSuspect(event) && now() - answeredAt >= blameless) healthy = false
    tries.failed(event, now() + wait)
    if (wait > 0) trust.askedToWait(now() + wait)
  }

  return {
    async post(event, signal) {
      const body = Buffer.from(structuredCloudEvent(event.attributes, event.json))
      const timestamp = Math.floor(now() / 1_000)
      const headers = {
        'content-type': 'application/cloudevents+json',
        ...signatureHeaders(keys, { id: event.attributes.id ?? '', timestamp, body }),
        ...traceHeaders(event),
      }
      const began = performance.now()
      const lasted = () => performance.now() - began
      const note = (outcome: WebhookAttempt['outcome'], failure?: string, status?: number) =>
        attempted(event, { outcome, status, failure, at: now(), durationMs: lasted() })
      tries.begun(event)
      const answer = await fetcher.post(url, { body, headers, signal }).catch((error) => {
        if (signal.aborted) healthy = false
        else failed(event)
        note('failed', error.message)
        throw error
      })
      const { status } = answer
      const outcome = outcomeOf(status)
      const failure = `the receiver answered ${status}`
      note(outcome, outcome === 'delivered' ? undefined : failure, status)
      refusedInRow = outcome === 'refused' ? refusedInRow + 1 : 0
      if (outcome === 'failed') {
        failed(event, retryAfterOf(answer, now()))
        throw new Error(failure)
      }
      healthy = outcome === 'delivered' || (status >= 400 && refusedInRow < refusesAll)
      if (healthy) answeredAt = now()
      tries.answered(event)
      trust.answered(lasted())
      if (outcome === 'refused') refused(event, failure)
    },

    isHealthy: () => healthy,
  }
}

/** The meaning of a status for the event. */
function outcomeOf(status: number): WebhookAttempt['outcome'] {
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 500 || [408, 425, 429].includes(status) ? 'failed' : 'refused'
}

/** How long the receiver asks to wait (RFC 9110 section 10.2.3), in milliseconds. */
function retryAfterOf({ retryAfter = '' }: Answer, now: number): number {
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return wait > 0 ? Math.min(wait, longestRetryAfter) : 0
}

/** The headers for the event's trace. A value that a header cannot carry is left out: a sender may choose any text. */
function traceHeaders({ attributes: { traceparent, tracestate } }: OutgoingEvent): Record<string, string> {
  const named = Object.entries({ traceparent, tracestate }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isHeaderValue(entry[1]),
  )
  return Object.fromEntries(named)
}

function isHeaderValue(value: string): boolean {
  try {
    http.validateHeaderValue('tracestate', value)
    return true
  } catch {
    return false
  }
}
