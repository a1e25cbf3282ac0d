import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'
import { isStorable } from '@gatehouse/kit/storable'
import type { EventType } from '@gatehouse/proto/event-types'
import { cloudEventAttributes, structuredCloudEvent } from '../envelopes/cloud-event.ts'
import type { Envelope } from '../envelopes/envelope.ts'
import type { PostedEvent } from './webhook-attempts.ts'

/** An event as it was posted to the webhook. */
export type WebhookDelivery = {
  eventId: string
  eventType: string
  /** undefined if the event is about no client or no user. */
  clientId: string | undefined
  userId: string | undefined
  /** `waiting`: an administrator sends it. `failed`: it is posted again. `refused`: it is not. */
  state: 'waiting' | 'delivered' | 'failed' | 'refused'
  attempts: number
  /** The HTTP status of the last answer; undefined without one. */
  status: number | undefined
  /** Why the last attempt failed; undefined if it did not. */
  failure: string | undefined
  /** How long the last attempt took, in milliseconds. */
  durationMs: number | undefined
  /** When the state last changed. */
  changedAt: Date
}

/** A list has the deliveries that match all of these; undefined: any. */
export type DeliveryFilter = {
  eventType?: string | undefined
  clientId?: string | undefined
  userId?: string | undefined
  state: WebhookDelivery['state'] | undefined
  since: Date | undefined
  until: Date | undefined
}

/** The last change of a state, in milliseconds since the Unix epoch, and the event's id. */
export type DeliveryPosition = readonly [changedAt: string, eventId: string]

/** The deliveries to the webhook. */
export type WebhookDeliveryStore = {
  /** Stores how events were posted. */
  add(posted: readonly PostedEvent[]): Promise<void>
  /** Newest first. @param after the position after which the list continues */
  list(
    filter: DeliveryFilter,
    after: DeliveryPosition | undefined,
    limit: number,
  ): Promise<Keyed<WebhookDelivery>[]>
  /** @returns the delivery and its envelope as JSON; undefined for an event that is not known */
  get(eventId: string): Promise<{ delivery: WebhookDelivery; envelope: string } | undefined>
  /** Queues an event again, and writes an audit entry. @returns whether it is known */
  retry(eventId: string, actor: Actor): Promise<boolean>
  /** Queues a new event for the webhook alone, and writes an audit entry. */
  send(envelope: Envelope, actor: Actor): Promise<void>
}

/** The needs of administrators' work with the webhook. */
export type WebhookDeliveryDeps = {
  deliveries: WebhookDeliveryStore
  /** Whether a webhook is configured. */
  configured: boolean
  /** OAUTH2_SERVER_PUBLIC_BASE_URL. */
  issuer: string
  randomUuid(): string
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The type of the event that only says that it is a test. */
const testEventType: EventType = 'webhook_test'

/**
 * Lists what was posted, newest first.
 * @throws Refusal invalid_request for a limit, cursor or filter that is invalid
 */
export async function listWebhookDeliveries(
  { cursor, limit, ...filter }: PageRequest & DeliveryFilter,
  { deliveries }: Pick<WebhookDeliveryDeps, 'deliveries'>,
): Promise<Page<WebhookDelivery>> {
  const most = checkLimit(limit)
  for (const [name, value] of Object.entries({
    event_type: filter.eventType,
    client_id: filter.clientId,
    user_id: filter.userId,
  }))
    if (value !== undefined && !isStorable(value)) throw new Refusal('invalid_request', `${name} is invalid.`)
  return pageOf(await deliveries.list(filter, positionIn(cursor), most + 1), most)
}

/**
 * Finds a delivery, with the body that was posted.
 * @throws Refusal not_found
 */
export async function getWebhookDelivery(
  eventId: string,
  { deliveries, issuer }: Pick<WebhookDeliveryDeps, 'deliveries' | 'issuer'>,
): Promise<{ delivery: WebhookDelivery; body: string }> {
  const found = isUuid(eventId) ? await deliveries.get(eventId) : undefined
  if (found === undefined) throw unknownDelivery()
  const attributes = cloudEventAttributes(JSON.parse(found.envelope), issuer)
  return { delivery: found.delivery, body: structuredCloudEvent(attributes, found.envelope) }
}

/**
 * Posts an event again, whatever became of it.
 * @throws Refusal not_found; invalid_request where no webhook is configured
 */
export async function retryWebhookDelivery(
  eventId: string,
  actor: Actor,
  { deliveries, configured }: Pick<WebhookDeliveryDeps, 'deliveries' | 'configured'>,
): Promise<void> {
  if (!configured) throw noWebhook()
  if (!isUuid(eventId) || !(await deliveries.retry(eventId, actor))) throw unknownDelivery()
}

/**
 * Posts an event that only says that it is a test.
 * @returns the event's id
 * @throws Refusal invalid_request where no webhook is configured
 */
export async function testWebhook(
  actor: Actor,
  { deliveries, configured, randomUuid, now }: WebhookDeliveryDeps,
): Promise<string> {
  if (!configured) throw noWebhook()
  const id = randomUuid()
  const time = new Date(now()).toISOString()
  const event = { id, event_type: testEventType, timestamp: time, severity: 'info', metadata: {} } as const
  await deliveries.send(
    { event, producer: 'events', produced_at: time, idempotency_key: id, attributes: {} },
    actor,
  )
  return id
}

/** @throws Refusal invalid_request for a cursor that was not made here */
function positionIn(cursor: string | undefined): DeliveryPosition | undefined {
  const [changedAt, eventId] = readCursor(cursor, 2) ?? []
  if (changedAt === undefined || eventId === undefined) return undefined
  if (!/^\d{1,15}$/.test(changedAt) || !isUuid(eventId))
    throw new Refusal('invalid_request', 'cursor is invalid.')
  return [changedAt, eventId]
}

function unknownDelivery(): Refusal {
  return new Refusal('not_found', 'No delivery of this event to the webhook is known.')
}

function noWebhook(): Refusal {
  return new Refusal('invalid_request', 'There is no webhook: OAUTH2_EVENTS_WEBHOOK_URL is not set.')
}
