import type { EventRouteDeps } from '../../src/events/events.ts'

export const eventId = '0190f0a0-0000-7000-8000-000000000009'

/** Eventing that is on and always succeeds, except for the changes. */
export function eventing(changes: Partial<EventRouteDeps> = {}): EventRouteDeps {
  return {
    events: {
      getEventHealth: async () => ({ enabled: true, plugins: [{ name: 'in_memory', healthy: true }] }),
    },
    ingest: async ({ idempotencyKey = '' }) => ({ duplicate: false, idempotencyKey, eventId }),
    ingestToken: undefined,
    ...changes,
  }
}
