import { type Envelope, externalProducer } from './envelope.ts'

/** The attributes of a CloudEvent (CloudEvents 1.0 section 2); all of ours are strings. */
export type CloudEventAttributes = Readonly<Record<string, string>>

/**
 * An envelope's attributes as a CloudEvent: the required ones, and those of the extensions Distributed Tracing and
 * Partitioning. The envelope itself is the data.
 * @param issuer the base of `source` for our own events, and for events from outside that name no source or one of ours
 */
export function cloudEventAttributes(envelope: Envelope, issuer: string): CloudEventAttributes {
  const { event, producer, traceparent, tracestate, attributes } = envelope
  const { source, subject } = attributes
  const external = producer === externalProducer || source !== undefined
  const named = external && source !== undefined && !source.startsWith(issuer) ? source : undefined
  return {
    specversion: '1.0',
    id: event.id,
    type: event.event_type,
    source: named ?? `${issuer}/${external ? 'events/ingest' : producer}`,
    time: event.timestamp,
    datacontenttype: 'application/json',
    ...(subject !== undefined && { subject }),
    producer,
    partitionkey: envelope.idempotency_key,
    ...(traceparent !== undefined && { traceparent }),
    ...(tracestate !== undefined && { tracestate }),
  }
}

/**
 * A CloudEvent in the JSON format (structured content mode).
 * @param json the envelope as JSON
 */
export function structuredCloudEvent(attributes: CloudEventAttributes, json: string): string {
  return `${JSON.stringify(attributes).slice(0, -1)},"data":${json}}`
}
