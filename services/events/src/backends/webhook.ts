import { validateHeaderValue } from 'node:http'
import { ConfigurationError } from '@gatehouse/kit/config'
import { version } from '@gatehouse/kit/release'
import { Type } from 'typebox'
import {
  type Backend,
  type BackendDeps,
  backendKind,
  type EventingConfig,
  type OutgoingEvent,
} from '../backend.ts'
import { structuredCloudEvent } from '../cloud-event.ts'
import { type Answer, createPoster, isAllowedLiteral, type Poster } from './post.ts'
import { isPublicAddress } from './public-address.ts'
import { sideBySide } from './side-by-side.ts'
import { signatureHeaders, signingKeys } from './webhook-signature.ts'

/** In milliseconds. */
const postTimeout = 5_000
/** How many posts are under way at once. */
const atOnce = 8
/** How many events are remembered that were taken before an earlier one was. */
const mostAhead = 1_000
/** A delivery that takes longer gives way, so that what is delivered is known to be. In milliseconds. */
const turn = 1_000
/** How long a receiver is left alone when it asks for that, at the most, in milliseconds. */
const longestRetryAfter = 300_000

/** Posts each event to a URL, signed by the convention Standard Webhooks. */
export const webhook = backendKind({
  name: 'webhook',
  variables: {
    OAUTH2_EVENTS_WEBHOOK_URL: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        rule: 'an https:// URL',
        secret: true,
        defaultText: 'none: no webhooks',
        description:
          'Where every event is posted to, besides what OAUTH2_EVENTS_BACKEND names; docs/webhooks.md tells how.',
        check(values: EventingConfig & ReceiverConfig) {
          if (values.OAUTH2_EVENTS_ENABLED && values.OAUTH2_EVENTS_WEBHOOK_URL) receiverIn(values)
        },
      }),
    ),
    OAUTH2_EVENTS_WEBHOOK_SECRET: Type.Optional(
      Type.String({
        secret: true,
        description:
          'What webhooks are signed with: `whsec_` and the base64 of at least 24 bytes, or a text of at least 24 ASCII characters. Two with a space between them both sign.',
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
    const { url, isAllowed } = receiverIn(config)
    const keys = keysIn(config)
    const poster = createPoster({ url, isAllowed, timeoutMs: postTimeout, connections: atOnce })
    return createWebhook({ ...deps, keys, poster, now: Date.now })
  },
})

type ReceiverConfig = {
  OAUTH2_EVENTS_WEBHOOK_URL?: string
  OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: boolean
}

function receiverIn(config: ReceiverConfig) {
  const allowPrivate = config.OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address)
  const url = receiver(config.OAUTH2_EVENTS_WEBHOOK_URL ?? '', isAllowed)
  if (url.protocol !== 'https:' && !allowPrivate) {
    throw new ConfigurationError(
      'OAUTH2_EVENTS_WEBHOOK_URL must be an https:// URL, unless OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE is true',
    )
  }
  return { url, isAllowed }
}

function keysIn(config: { OAUTH2_EVENTS_WEBHOOK_SECRET?: string }): Buffer[] {
  const keys = signingKeys(config.OAUTH2_EVENTS_WEBHOOK_SECRET ?? '')
  if (keys.length > 0) return keys
  throw new ConfigurationError('OAUTH2_EVENTS_WEBHOOK_SECRET must be set, since OAUTH2_EVENTS_WEBHOOK_URL is')
}

/** What posting webhooks needs. */
export type WebhookDeps = Pick<BackendDeps, 'issuer' | 'refused'> & {
  keys: readonly Buffer[]
  poster: Poster
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/**
 * Posts events, several at once, but those of one client or one user one after the other. What the receiver did not
 * take, and may take later, is for the caller to deliver again; what it will never take is refused.
 */
export function createWebhook({ issuer, refused, keys, poster, now }: WebhookDeps): Backend {
  let healthy = true
  let notBefore = 0
  /** Why the last delivery ended early: the next one tells it, so that the caller waits. */
  let untold: unknown
  /** Events, by id, that are settled although an earlier one is not: the caller will come with them again. */
  const ahead = new Set<string>()

  /** @throws Error when the event is to be sent again */
  const send = async (event: OutgoingEvent, signal: AbortSignal) => {
    const body = Buffer.from(structuredCloudEvent(event.envelope, issuer))
    const timestamp = Math.floor(now() / 1_000)
    const headers = {
      'content-type': 'application/cloudevents+json',
      'user-agent': `Gatehouse/${version}`,
      ...signatureHeaders(keys, { id: event.envelope.event.id, timestamp, body }),
      ...traceHeaders(event),
    }
    const answer = await poster.post(body, headers, signal).catch((error) => {
      healthy = false
      throw error
    })
    const fate = fateOf(answer.status)
    healthy = fate === 'taken'
    if (fate === 'again') {
      notBefore = now() + retryAfterOf(answer, now())
      throw new Error(`the receiver answered ${answer.status}`)
    }
    if (fate === 'refused') refused(event, `the receiver answered ${answer.status}`)
  }

  return {
    async deliver(events, signal) {
      const early = untold
      untold = undefined
      if (early) throw early
      if (now() < notBefore) throw new Error('the receiver asked to be left alone for a while')
      const end = now() + turn
      const { upTo, failure } = await sideBySide(events, {
        atOnce,
        keysOf: partiesOf,
        goesOn: () => now() < end,
        async work(event) {
          const { id } = event.envelope.event
          if (!ahead.has(id)) await send(event, signal)
          ahead.add(id)
        },
      })
      for (const { envelope } of events.slice(0, upTo)) ahead.delete(envelope.event.id)
      for (const id of [...ahead].slice(0, -mostAhead)) ahead.delete(id)
      if (upTo === 0) throw failure
      untold = failure
      return upTo
    },

    isHealthy: () => healthy,

    async close() {
      poster.close()
    },
  }
}

/** Whom an event is about; those about nobody belong together too. */
function partiesOf({ envelope: { event } }: OutgoingEvent): string[] {
  const parties = { client: event.client_id, user: event.user_id }
  const named = Object.entries(parties).flatMap(([kind, id]) => (id ? [`${kind} ${id}`] : []))
  return named.length === 0 ? [''] : named
}

/** What an answer means for the event. */
function fateOf(status: number): 'taken' | 'again' | 'refused' {
  if (status >= 200 && status < 300) return 'taken'
  return status >= 500 || [408, 425, 429].includes(status) ? 'again' : 'refused'
}

/** How long the receiver asks to wait (RFC 9110 section 10.2.3), in milliseconds. */
function retryAfterOf({ retryAfter = '' }: Answer, now: number): number {
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now
  return wait > 0 ? Math.min(wait, longestRetryAfter) : 0
}

/** The trace of the event, as far as HTTP can carry it: a sender may have given it anything. */
function traceHeaders({ envelope: { traceparent, tracestate } }: OutgoingEvent): Record<string, string> {
  const named = Object.entries({ traceparent, tracestate }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isHeaderValue(entry[1]),
  )
  return Object.fromEntries(named)
}

function isHeaderValue(value: string): boolean {
  try {
    validateHeaderValue('tracestate', value)
    return true
  } catch {
    return false
  }
}

/** @throws ConfigurationError that shows nothing of it, when it is none or names an address that is not allowed */
function receiver(text: string, isAllowed: (address: string) => boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) throw new ConfigurationError('OAUTH2_EVENTS_WEBHOOK_URL must be an https:// URL')
  if (isAllowedLiteral(url, isAllowed)) return url
  throw new ConfigurationError(
    'OAUTH2_EVENTS_WEBHOOK_URL names an address that is not public; OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE=true allows it',
  )
}
