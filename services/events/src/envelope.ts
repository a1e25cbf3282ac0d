import { type EventType, eventTypes } from '@gatehouse/proto/event-types'

/** How bad it is that an event happened. */
export const severities = ['info', 'warning', 'error'] as const
export type Severity = (typeof severities)[number]

/** An event with all that is known of it (decisions: events). What is absent is not known. */
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
  /** Ties together what belongs to one request. */
  correlation_id?: string | undefined
  /** The service that emitted it, or who sent it; `external` for a sender that did not prove itself. */
  producer: string
  /** When it came to us (RFC 3339). */
  produced_at: string
  idempotency_key: string
  /** The trace of the request in which it happened (W3C Trace Context). */
  traceparent?: string | undefined
  tracestate?: string | undefined
  attributes: Readonly<Record<string, string>>
}

/** Who sent an event that did not come from one of our own processes, when nothing proves more. */
export const externalProducer = 'external'

/** What a process of our own tells of something that happened in it. What is empty is not known. */
export type EmittedEvent = {
  eventType: string
  /** Milliseconds since the Unix epoch. */
  timeMs: number
  userId: string
  clientId: string
  error: string
  /** A JSON object. */
  metadata: string
  traceparent: string
  tracestate: string
}

/**
 * The envelope of an event of our own.
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
      // A newer process may emit what this one does not know yet.
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
