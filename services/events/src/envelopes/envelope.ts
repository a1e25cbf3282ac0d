import { hash } from 'node:crypto'
import { type EventType, eventTypes } from '@gatehouse/proto/event-types'

/** How serious an event is. */
export const severities = ['info', 'warning', 'error'] as const
export type Severity = (typeof severities)[number]

/** An event with everything that is known about it. An absent field is unknown. */
export type Envelope = {
  event: {
    /** A UUID. */
    id: string
    event_type: string
    /** When it happened (RFC 3339). */
    timestamp: string
    severity: Severity
    user_id?: string | undefined
    client_id?: string | undefined
    error?: string | undefined
    metadata: Readonly<Record<string, unknown>>
  }
  /** Shared by everything that belongs to one request. */
  correlation_id?: string | undefined
  /** The service that emitted the event, or its sender; `external` for a sender without the ingest token. */
  producer: string
  /** When it was received (RFC 3339). */
  produced_at: string
  idempotency_key: string
  /** The trace of the request in which it happened (W3C Trace Context). */
  traceparent?: string | undefined
  tracestate?: string | undefined
  attributes: Readonly<Record<string, string>>
}

/** The producer of an event whose sender did not present the ingest token. */
export const externalProducer = 'external'

/**
 * Tells an event from others that have the same id because their senders gave it to them: a CloudEvent's id is unique only within its
 * source, and a sender may give one id with two idempotency keys. It is the same each time the event is delivered.
 */
export function deliveryIdOf({ event: { id }, idempotency_key: key, attributes }: Envelope): string {
  const { source = '' } = attributes
  if (key === id && source === '') return id
  return `${id}.${hash('sha256', `${source}\n${key}`, 'hex').slice(0, 16)}`
}

/** An event as one of our own processes reports it. An absent field is unknown. */
export type EmittedEvent = {
  eventType: string
  /** Milliseconds since the Unix epoch. */
  timeMs: number
  userId?: string | undefined
  clientId?: string | undefined
  error?: string | undefined
  /** A JSON object. */
  metadata: string
  traceparent?: string | undefined
  tracestate?: string | undefined
}

/**
 * Creates the envelope of one of our own events.
 * @param producer the service
 * @param id a UUID
 * @param now milliseconds since the Unix epoch
 */
export function envelopeOf(
  { eventType, timeMs, userId, clientId, error, metadata, traceparent, tracestate }: EmittedEvent,
  { id, producer, now }: { id: string; producer: string; now: number },
): Envelope {
  return {
    event: {
      id,
      event_type: eventType,
      timestamp: new Date(timeMs).toISOString(),
      // A newer process may emit an event type that this one does not know yet.
      severity: Object.hasOwn(eventTypes, eventType) ? eventTypes[eventType as EventType].severity : 'info',
      ...(userId && { user_id: userId }),
      ...(clientId && { client_id: clientId }),
      ...(error && { error }),
      metadata: JSON.parse(metadata),
    },
    ...(traceparent && { correlation_id: traceparent.slice(3, 35) }),
    producer,
    produced_at: new Date(now).toISOString(),
    idempotency_key: id,
    ...(traceparent && { traceparent }),
    ...(tracestate && { tracestate }),
    attributes: {},
  }
}
