import { loadConfig } from '@gatehouse/kit/config/load-config'
import { anyAddress } from '@gatehouse/kit/fetch/address-rule'
import { createFetcher } from '@gatehouse/kit/fetch/guarded-fetch'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { Type } from '@gatehouse/proto/typebox'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import {
  type Backend,
  type BackendDeps,
  deliveredOf,
  type OutgoingEvent,
  type WebhookAttempt,
} from '../../src/envelopes/backend.ts'
import { createWebhook, webhook } from '../../src/webhooks/webhook.ts'
import { type Receiver, startReceiver } from './receiver.ts'

export const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
export const issuer = 'https://issuer.example'
/** A signal that is never aborted. */
export const never = new AbortController().signal

/** The receiver of the webhooks, which forgets them before each test. */
export let receiver: Receiver
/** The backends that a test opened; they are closed after it. */
export const opened: Backend[] = []

/** Starts the receiver for a test file. */
export function useReceiver(): void {
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  beforeEach(() => {
    receiver.posts.length = 0
    receiver.next.length = 0
  })
  afterEach(() => Promise.all(opened.splice(0).map((backend) => backend.close())))
  afterAll(() => receiver.close())
}

/** The needs of a backend, the events that it refused, and its attempts. */
export function someDeps() {
  const refused: [id: string, reason: string][] = []
  const attempts: [id: string, attempt: WebhookAttempt][] = []
  const deps: BackendDeps = {
    ...{ log: recordedLog().log, issuer, ring: { push: () => undefined } },
    refused: (event, reason) => refused.push([event.envelope.event.id, reason]),
    attempted: (event, attempt) => attempts.push([event.envelope.event.id, attempt]),
  }
  return { deps, refused, attempts }
}

/** Opens the backend as the service does. */
export function open(environment: Record<string, string> = {}) {
  const { deps, refused, attempts } = someDeps()
  const config = loadConfig(Type.Object(webhook.variables), {
    OAUTH2_EVENTS_WEBHOOK_URL: receiver.url,
    OAUTH2_EVENTS_WEBHOOK_SECRET: secret,
    OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: 'true',
    ...environment,
  })
  const backend = webhook.open(config, deps)
  opened.push(backend)
  return { backend, refused, attempts }
}

/** Creates a backend with its own clock and timeout. */
export function make({ now = Date.now, timeoutMs = 5_000 }: { now?: () => number; timeoutMs?: number }) {
  const { deps, refused, attempts } = someDeps()
  const url = new URL(receiver.url)
  const fetcher = createFetcher({ rule: anyAddress, timeoutMs, connections: 8 })
  const backend = createWebhook({
    ...deps,
    url,
    keys: [Buffer.alloc(32, 7)],
    fetcher,
    now,
    random: Math.random,
  })
  opened.push(backend)
  return { backend, refused, attempts }
}

/** Delivers as the service does: after a failure, the events that are left. @returns how often it failed */
export async function deliverAll(backend: Backend, events: readonly OutgoingEvent[]): Promise<number> {
  let left = events
  let failures = 0
  while (left.length > 0) {
    try {
      const { settled } = deliveredOf(await backend.deliver(left, never), left)
      left = left.filter((event) => !settled.has(event))
    } catch {
      failures += 1
    }
  }
  return failures
}

export const idsOf = (events: readonly OutgoingEvent[]) => events.map(({ envelope }) => envelope.event.id)
/** The ids of the posted events so far, in their order. */
export const receivedIds = () => receiver.posts.map(({ headers }) => headers['webhook-id'])
export const headersOf = (index: number) => receiver.posts[index]?.headers as Record<string, string>
export const bodyOf = (index: number) => receiver.posts[index]?.body ?? ''
