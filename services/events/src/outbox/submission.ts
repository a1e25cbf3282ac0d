import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { ownProducers } from '@gatehouse/proto/event-types'
import { type Envelope, externalProducer, severities } from '../envelopes/envelope.ts'
import {
  type JsonObject,
  object,
  optional,
  record,
  shallow,
  source,
  text,
  time,
} from '../envelopes/json-fields.ts'
import { type Parties, partiesOf } from './parties.ts'

/** An event from outside as it was sent. */
export type Submission = {
  /** The media type, without parameters. */
  contentType: string
  body: string
  /** The Idempotency-Key header. */
  idempotencyKey?: string | undefined
  /** The CloudEvents headers (binary content mode), without the prefix ce-. */
  cloudEventAttributes: Readonly<Record<string, string>>
  /** Whether the sender presented the ingest token. */
  senderProven: boolean
  /** The trace of the request. */
  traceparent?: string | undefined
  tracestate?: string | undefined
  correlationId?: string | undefined
}

/** A valid event. Its envelope is kept as JSON alone: see `LazyEvent`. */
export type TakenEvent = {
  eventId: string
  idempotencyKey: string
  /** The envelope as JSON. */
  json: string
  parties: Parties
  /** Identifies the event: of two events with the same identity, only the first is accepted. */
  identity: string
}

/** The needs of readSubmission. */
export type SubmissionDeps = {
  /** Milliseconds since the Unix epoch. */
  now(): number
  randomUuid(): string
}

/** How long names and keys may be, in UTF-16 code units. */
const longest = 255
/** How long a CloudEvent's subject may be. Engines carry it in a header and limit the total size of the headers. */
const longestSubject = 2_000
/** How long an event's JSON may be, in UTF-16 code units. It may be longer than the body: 1e20 becomes 21 digits. */
const longestJson = 128 * 1_024

/**
 * Reads a submitted event: an envelope, or a CloudEvent (CloudEvents 1.0) in the JSON format or with its attributes as
 * headers.
 * @throws Refusal invalid_request that says what is wrong
 */
export function readSubmission(submission: Submission, deps: SubmissionDeps): TakenEvent {
  const { contentType, body, cloudEventAttributes } = submission
  const binary = Object.keys(cloudEventAttributes).length > 0
  if (binary) {
    // Data is optional (CloudEvents 1.0 section 3.2).
    const data = body === '' ? {} : { data: parse(body) }
    return fromCloudEvent({ ...cloudEventAttributes, ...data }, submission, deps)
  }
  const parsed = object(parse(body), 'The body')
  const structured = contentType === 'application/cloudevents+json' || 'specversion' in parsed
  return structured ? fromCloudEvent(parsed, submission, deps) : fromEnvelope(parsed, submission, deps)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.')
  }
}

function fromEnvelope(body: JsonObject, submission: Submission, deps: SubmissionDeps): TakenEvent {
  const event = object(body.event, 'event')
  const severity = optional(event.severity, 'event.severity', text(longest)) ?? 'info'
  const known = severities.find((one) => one === severity)
  if (known === undefined) {
    throw new Refusal('invalid_request', `event.severity must be one of ${severities.join(', ')}.`)
  }
  const callersId = optional(event.id, 'event.id', text(longest))
  const attributes = optional(body.attributes, 'attributes', record) ?? {}
  optional(attributes.source, 'attributes.source', source(longest))
  optional(attributes.subject, 'attributes.subject', text(longestSubject))
  shallow(event.metadata, 'event.metadata')
  const facts = {
    callersId,
    eventType: text(longest)(event.event_type, 'event.event_type'),
    timestamp: optional(event.timestamp, 'event.timestamp', time),
    severity: known,
    user_id: optional(event.user_id, 'event.user_id', text(longest)),
    client_id: optional(event.client_id, 'event.client_id', text(longest)),
    error: optional(event.error, 'event.error', text(2_000)),
    metadata: optional(event.metadata, 'event.metadata', object) ?? {},
    correlation_id: optional(body.correlation_id, 'correlation_id', text(longest)),
    producer: optional(body.producer, 'producer', text(longest)),
    key: optional(body.idempotency_key, 'idempotency_key', text(longest)),
    traceparent: optional(body.traceparent, 'traceparent', text(longest)),
    tracestate: optional(body.tracestate, 'tracestate', text(2_000)),
    attributes,
  }
  return envelopeOf(facts, facts.key ?? callersId, submission, deps)
}

/** The attributes of a CloudEvent that become fields of the envelope. */
const placed = new Set([
  'specversion',
  'id',
  'type',
  'time',
  'data',
  'data_base64',
  'traceparent',
  'tracestate',
])

function fromCloudEvent(body: JsonObject, submission: Submission, deps: SubmissionDeps): TakenEvent {
  if (body.specversion !== '1.0') {
    throw new Refusal('invalid_request', 'specversion must be 1.0.')
  }
  const id = text(longest)(body.id, 'id')
  const origin = source(longest)(body.source, 'source')
  optional(body.subject, 'subject', text(longestSubject))
  optional(body.datacontenttype, 'datacontenttype', text(longest))
  const { data, data_base64: base64 } = body
  shallow(data, 'data')
  shallow(base64, 'data_base64')
  const attributes = Object.fromEntries(Object.entries(body).filter(([name]) => !placed.has(name)))
  const facts = {
    callersId: id,
    eventType: text(longest)(body.type, 'type'),
    timestamp: optional(body.time, 'time', time),
    severity: 'info' as const,
    metadata: isObject(data)
      ? data
      : { ...(data !== undefined && { data }), ...(base64 !== undefined && { data_base64: base64 }) },
    producer: origin,
    traceparent: optional(body.traceparent, 'traceparent', text(longest)),
    tracestate: optional(body.tracestate, 'tracestate', text(2_000)),
    attributes: record(attributes, 'An extension'),
  }
  const taken = envelopeOf(facts, id, submission, deps)
  // The id is unique only within its source (CloudEvents 1.0 section 3.1.1).
  return submission.idempotencyKey === undefined ? { ...taken, identity: `${origin}\n${id}` } : taken
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The statements of a sender about an event. */
type Facts = {
  callersId: string | undefined
  eventType: string
  timestamp: string | undefined
  severity: Envelope['event']['severity']
  user_id?: string | undefined
  client_id?: string | undefined
  error?: string | undefined
  metadata: JsonObject
  correlation_id?: string | undefined
  producer: string | undefined
  traceparent: string | undefined
  tracestate: string | undefined
  attributes: Record<string, string>
}

const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

function envelopeOf(
  facts: Facts,
  sentKey: string | undefined,
  submission: Submission,
  { now, randomUuid }: SubmissionDeps,
): TakenEvent {
  const { callersId, eventType, timestamp, severity, user_id, client_id, error, metadata } = facts
  const ownId = callersId?.toLowerCase()
  const id = ownId !== undefined && isUuid(ownId) ? ownId : randomUuid()
  const header = submission.idempotencyKey
  const key = header === undefined ? (sentKey ?? id) : text(longest)(header, 'Idempotency-Key')
  const own = facts.producer === undefined || ownProducers.has(facts.producer)
  const producedAt = new Date(now()).toISOString()
  // The trace that the sender names, or else the trace of the request.
  const named = facts.traceparent !== undefined && traceparentPattern.test(facts.traceparent)
  const trace = named ? { traceparent: facts.traceparent, tracestate: facts.tracestate } : traceOf(submission)
  const correlation = facts.correlation_id ?? submission.correlationId
  const envelope: Envelope = {
    event: {
      id,
      event_type: eventType,
      timestamp: timestamp ?? producedAt,
      severity,
      ...known({ user_id, client_id, error }),
      metadata,
    },
    ...(correlation !== undefined && { correlation_id: correlation }),
    producer: submission.senderProven && !own ? String(facts.producer) : externalProducer,
    produced_at: producedAt,
    idempotency_key: key,
    ...known(trace),
    attributes: {
      ...facts.attributes,
      ...(callersId !== undefined && callersId.toLowerCase() !== id && { id: callersId }),
    },
  }
  return takenEvent(envelope, key)
}

/**
 * Makes an event ready to be stored.
 * @param identity see `TakenEvent`
 * @throws Refusal invalid_request when it is too long
 */
export function takenEvent(envelope: Envelope, identity: string): TakenEvent {
  const json = JSON.stringify(envelope)
  if (json.length > longestJson)
    throw new Refusal('invalid_request', `The event must have at most ${longestJson} characters as JSON.`)
  const { event, idempotency_key: idempotencyKey } = envelope
  return { eventId: event.id, idempotencyKey, json, parties: partiesOf(envelope), identity }
}

function traceOf({ traceparent, tracestate }: Submission) {
  return { traceparent, tracestate: traceparent && tracestate }
}

/** Drops undefined fields. */
function known<Fields extends Record<string, string | undefined>>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>
}
