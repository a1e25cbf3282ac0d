import type { Emit } from '../src/events/emission.ts'

/** An emitted event. */
export type RecordedEvent = {
  type: string
  userId?: unknown
  clientId?: unknown
  error?: unknown
  metadata: object
}

/** An `emit` that records its events, in order. */
export function recordedEvents() {
  const events: RecordedEvent[] = []
  const emit: Emit = (type, content) => {
    events.push({ type, ...content })
  }
  return { emit, events }
}
