import type { EmitEventsRequest } from '@gatehouse/proto/events/v1'
import type { EmittedEvents } from './emitted.ts'
import type { EmittedEvent } from './envelope.ts'

/** An event in the form of 0.2.0. */
type ReleasedEvent = {
  event_type: string
  time_ms: number
  user_id?: string
  client_id?: string
  error?: string
  metadata: Record<string, string>
  traceparent?: string
  tracestate?: string
}

/** Translates the events of a process of 0.2.0, which sends a line of JSON for each. The next release removes this. */
export function readReleasedForm({ events, ...sender }: EmitEventsRequest): EmittedEvents {
  const lines = events === '' ? [] : events.split('\n')
  return { ...sender, events: lines.map((line) => readEvent(JSON.parse(line))) }
}

function readEvent({
  event_type: eventType,
  time_ms: timeMs,
  user_id: userId = '',
  client_id: clientId = '',
  error = '',
  metadata,
  traceparent = '',
  tracestate = '',
}: ReleasedEvent): EmittedEvent {
  const text = JSON.stringify(metadata)
  return { eventType, timeMs, userId, clientId, error, metadata: text, traceparent, tracestate }
}
