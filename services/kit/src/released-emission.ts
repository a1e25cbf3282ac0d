import type { EmitEventsRequest, ReportEventsRequest } from '@gatehouse/proto/events/v1'

/** Events as the events service of 0.2.0 takes them, a line of JSON each. It goes with the release after this one. */
export function releasedForm({ events, ...sender }: ReportEventsRequest): EmitEventsRequest {
  const lines = events.map(({ eventType, timeMs, userId, clientId, error, metadata, ...trace }) =>
    JSON.stringify({
      event_type: eventType,
      time_ms: timeMs,
      // What is undefined is not in the text.
      user_id: userId || undefined,
      client_id: clientId || undefined,
      error: error || undefined,
      metadata: JSON.parse(metadata),
      traceparent: trace.traceparent || undefined,
      tracestate: trace.tracestate || undefined,
    }),
  )
  return { ...sender, events: lines.join('\n') }
}
