import type { Emit } from '../src/emission.ts'

/** What was emitted, in its order. */
export type RecordedEvent = {
  type: string
  userId?: unknown
  clientId?: unknown
  error?: unknown
  metadata: object
}

/** An `emit` that keeps what it is told. */
export function recordedEvents() {
  const events: RecordedEvent[] = []
  const emit: Emit = (type, content) => {
    events.push({ type, ...content })
  }
  return { emit, events }
}
