import { ConfigurationError } from '@gatehouse/kit/config/config'
import { type AddressRule, addressRule, anyAddress, urlFault } from '@gatehouse/kit/fetch/address-rule'
import { fetchVariables } from '@gatehouse/kit/fetch/fetch-variables'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { Type } from '@gatehouse/proto/typebox'
import { type Backend, backendKind, type EventingConfig } from '../envelopes/backend.ts'
import { createTries } from './deliveries-tried.ts'
import { createTrust } from './receiver-trust.ts'
import { createLane } from './webhook-lane.ts'
import { createPoster, type PosterDeps } from './webhook-post.ts'
import { signingKeys } from './webhook-signature.ts'
import { mostUnderWay } from './webhook-turn.ts'

/** In milliseconds. */
const postTimeout = 5_000

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
          'The URL to which every event is posted, besides the backends in OAUTH2_EVENTS_BACKEND; see docs/events/webhooks.md.',
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
    const fetcher = createFetcher({ rule, timeoutMs: postTimeout, connections: 2 * mostUnderWay })
    return createWebhook({ ...deps, url, keys, fetcher, now: Date.now, random: Math.random })
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

/** The needs of createWebhook. */
export type WebhookDeps = Omit<PosterDeps, 'tries' | 'trust' | 'fetcher'> & {
  fetcher: PosterDeps['fetcher'] & { close(): void }
  /** From 0 up to 1. */
  random(): number
}

/**
 * Posts several events at once, but those of one client or one user one after the other. The caller delivers again the
 * events that the receiver may accept later; events that it never accepts are refused. Those that failed are posted after the others, and
 * set aside when the receiver goes on to accept others.
 */
export function createWebhook(deps: WebhookDeps): Backend {
  const { fetcher, now, random } = deps
  const trust = createTrust(now)
  const tries = createTries(trust, now)
  const { post, isHealthy } = createPoster({ ...deps, tries, trust })
  const lane = () => createLane({ post, tries, trust, now, random })
  return {
    ...lane(),
    stored: lane(),
    isHealthy,
    async close() {
      fetcher.close()
    },
  }
}
