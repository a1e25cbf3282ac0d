import { type AddressRule, addressRule, anyAddress, urlFault } from '@gatehouse/kit/address-rule'
import { ConfigurationError } from '@gatehouse/kit/config'
import { fetchVariables } from '@gatehouse/kit/fetch-variables'
import { type Answer, createFetcher, type Fetcher } from '@gatehouse/kit/guarded-fetch'
import { http } from '@gatehouse/kit/node-http'
import { Type } from '@gatehouse/proto/typebox'
import {
  type Backend,
  type BackendDeps,
  backendKind,
  type EventingConfig,
  type OutgoingEvent,
  type WebhookAttempt,
} from '../backend.ts'
import { structuredCloudEvent } from '../cloud-event.ts'
import { deliveryIdOf } from '../envelope.ts'
import { createTries } from './deliveries-tried.ts'
import { sideBySide } from './side-by-side.ts'
import { signatureHeaders, signingKeys } from './webhook-signature.ts'

/** In milliseconds. */
const postTimeout = 5_000
/** How many posts are under way at once. */
const atOnce = 8
/** How many refused events in a row are the receiver's failure, for example a wrong secret. Fewer are that of the events. */
const refusesAll = 10
/** How many events are remembered that the receiver accepted before an earlier one. */
const mostAhead = 1_000
/** In milliseconds. A delivery that takes longer begins no more posts, so that it can report what was delivered. */
const turn = 1_000
/** The longest Retry-After that is respected, in milliseconds. */
const longestRetryAfter = 300_000

/** Posts each event to a URL, signed as in Standard Webhooks. */
export const webhook = backendKind({
  name: 'webhook',
  variables: {
    ...fetchVariables,
    OAUTH2_EVENTS_WEBHOOK_URL: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        rule: 'an https:// URL',
        secret: true,
        defaultText: 'none: no webhooks',
        description:
          'The URL to which every event is posted, besides the backends in OAUTH2_EVENTS_BACKEND; see docs/webhooks.md.',
        check(values: EventingConfig & ReceiverConfig) {
          if (values.OAUTH2_EVENTS_ENABLED && values.OAUTH2_EVENTS_WEBHOOK_URL) receiverIn(values)
        },
      }),
    ),
    OAUTH2_EVENTS_WEBHOOK_SECRET: Type.Optional(
      Type.String({
        secret: true,
        description:
          'The secret that signs webhooks: `whsec_` and the base64 of at least 24 bytes, or a text of at least 24 ASCII characters. Two secrets, separated by a space, both sign.',
        check(
          values: EventingConfig & {
            OAUTH2_EVENTS_WEBHOOK_URL?: string
            OAUTH2_EVENTS_WEBHOOK_SECRET?: string
          },
        ) {
          if (values.OAUTH2_EVENTS_ENABLED && values.OAUTH2_EVENTS_WEBHOOK_URL) keysIn(values)
        },
      }),
    ),
    OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: Type.Boolean({
      default: false,
      rule: 'true or false',
      description:
        'Whether webhooks may go to private, loopback and other addresses that are not public, and without TLS.',
    }),
  },
  open(config, deps) {
    const { url, rule } = receiverIn(config)
    const keys = keysIn(config)
    const fetcher = createFetcher({ rule, timeoutMs: postTimeout, connections: atOnce })
    return createWebhook({ ...deps, url, keys, fetcher, now: Date.now })
  },
})

type ReceiverConfig = {
  OAUTH2_EVENTS_WEBHOOK_URL?: string
  OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: boolean
  OAUTH2_FETCH_ALLOWED_NETWORKS?: string
}

/** @throws ConfigurationError, which does not contain the URL, when it is invalid or names an address that is not allowed */
function receiverIn(config: ReceiverConfig): { url: URL; rule: AddressRule } {
  const allowPrivate = config.OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE
  const rule = allowPrivate ? anyAddress : addressRule(config.OAUTH2_FETCH_ALLOWED_NETWORKS)
  const url = URL.parse(config.OAUTH2_EVENTS_WEBHOOK_URL ?? '')
  if (url === null) throw new ConfigurationError('OAUTH2_EVENTS_WEBHOOK_URL must be an https:// URL')
  const fault = urlFault(url, rule)
  if (fault !== undefined) throw new ConfigurationError(receiverFaults[fault])
  return { url, rule }
}

const receiverFaults = {
  'not https':
    'OAUTH2_EVENTS_WEBHOOK_URL must be an https:// URL, unless OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE is true',
  'not public':
    'OAUTH2_EVENTS_WEBHOOK_URL names an address that is not public; OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE=true allows it',
}

function keysIn(config: { OAUTH2_EVENTS_WEBHOOK_SECRET?: string }): Buffer[] {
  const keys = signingKeys(config.OAUTH2_EVENTS_WEBHOOK_SECRET ?? '')
  if (keys.length > 0) return keys
  throw new ConfigurationError('OAUTH2_EVENTS_WEBHOOK_SECRET must be set: OAUTH2_EVENTS_WEBHOOK_URL is set')
}

/** What createWebhook needs. */
export type WebhookDeps = Pick<BackendDeps, 'issuer' | 'refused' | 'attempted'> & {
  url: URL
  keys: readonly Buffer[]
  fetcher: Pick<Fetcher, 'post' | 'close'>
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/**
 * Posts several events at once, but those of one client or one user one after the other. The caller delivers again the
 * events that the receiver may accept later; events that it never accepts are refused. Those that failed are posted after the others, and
 * set aside when the receiver goes on to accept others.
 */
export function createWebhook({ issuer, refused, attempted, url, keys, fetcher, now }: WebhookDeps): Backend {
  let healthy = true
  let refusedInRow = 0
  let notBefore = 0
  /** Why the last delivery ended early. The next one throws it, so that the caller pauses. */
  let untold: unknown
  /** The events that are settled although an earlier one is not. The caller will deliver them again. */
  const ahead = new Set<string>()
  const tries = createTries()

  /** @throws Error when the event must be sent again */
  const send = async (event: OutgoingEvent, signal: AbortSignal) => {
    const body = Buffer.from(structuredCloudEvent(event.envelope, issuer))
    const timestamp = Math.floor(now() / 1_000)
    const headers = {
      'content-type': 'application/cloudevents+json',
      ...signatureHeaders(keys, { id: event.envelope.event.id, timestamp, body }),
      ...traceHeaders(event),
    }
    const began = performance.now()
    const note = (outcome: WebhookAttempt['outcome'], failure = '', status?: number) =>
      attempted(event, { outcome, status, failure, at: now(), durationMs: performance.now() - began })
    tries.begun(event)
    const answer = await fetcher.post(url, { body, headers, signal }).catch((error) => {
      healthy = false
      if (!signal.aborted) tries.failed(event)
      note('failed', error.message)
      throw error
    })
    const { status } = answer
    const outcome = outcomeOf(status)
    refusedInRow = outcome === 'refused' ? refusedInRow + 1 : 0
    const isOfEvent = outcome === 'refused' && status >= 400 && refusedInRow < refusesAll
    healthy = outcome === 'delivered' || isOfEvent
    const failure = outcome === 'delivered' ? '' : `the receiver answered ${status}`
    note(outcome, failure, status)
    if (outcome === 'failed') {
      tries.failed(event)
      notBefore = now() + retryAfterOf(answer, now())
      throw new Error(failure)
    }
    tries.answered(event)
    if (outcome === 'refused') refused(event, failure)
  }

  return {
    async deliver(events, signal) {
      const early = untold
      untold = undefined
      if (early) throw early
      if (now() < notBefore) throw new Error('the receiver asked to wait (Retry-After)')
      const end = now() + turn
      let given: unknown
      let probes = 0
      const { failure } = await sideBySide(tries.lastOnes(events, partiesOf), {
        atOnce,
        keysOf: partiesOf,
        goesOn() {
          if (now() < end) return true
          probes -= 1
          return probes >= 0
        },
        async work(event) {
          const id = deliveryIdOf(event.envelope)
          try {
            if (!ahead.has(id)) await send(event, signal)
            ahead.add(id)
          } catch (error) {
            if (!tries.isExhausted(event)) throw error
            // The next one is tried although this one failed, to learn whether the receiver accepts others.
            probes = Math.max(0, probes) + 1
            given ??= error
          }
        },
      })
      const aside = tries.toSetAside(events)
      const settled = new Set(aside.map(({ event }) => event))
      const gap = events.findIndex((event) => !settled.has(event) && !ahead.has(deliveryIdOf(event.envelope)))
      const upTo = gap === -1 ? events.length : gap
      for (const { envelope } of events.slice(0, upTo)) ahead.delete(deliveryIdOf(envelope))
      for (const id of [...ahead].slice(0, -mostAhead)) ahead.delete(id)
      if (upTo === 0 && aside.length === 0) throw failure ?? given
      // What was set aside is no reason for a pause.
      untold = aside.length === 0 ? (failure ?? given) : undefined
      return aside.length === 0 ? upTo : { upTo, aside }
    },

    isHealthy: () => healthy,

    async close() {
      fetcher.close()
    },
  }
}

/** The client and the user that an event is about. Events about neither share a key. */
function partiesOf({ envelope: { event } }: OutgoingEvent): string[] {
  const parties = { client: event.client_id, user: event.user_id }
  const named = Object.entries(parties).flatMap(([kind, id]) => (id ? [`${kind} ${id}`] : []))
  return named.length === 0 ? [''] : named
}

/** What a status means for the event. */
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
function traceHeaders({ envelope: { traceparent, tracestate } }: OutgoingEvent): Record<string, string> {
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
