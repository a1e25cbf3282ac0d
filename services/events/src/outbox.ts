import type { TakenEvent } from './submission.ts'

/** An event that waits in the outbox. */
export type StoredEvent = { position: string; json: string }

/** What adding an event gave. */
export type Addition = { stored: boolean; eventId: string }

/** Where events from outside wait until each backend has them, for all replicas together. */
export type Outbox = {
  /**
   * Stores those whose identity was not taken in the last 24 hours, for each of the backends.
   * @param events no two of one identity
   * @returns of each whether it was stored, and the id of the event that was taken first
   */
  add(events: readonly TakenEvent[], backends: readonly string[]): Promise<Addition[]>
  /** The next for a backend, in the order in which they came. */
  next(backend: string, limit: number): Promise<StoredEvent[]>
  remove(positions: readonly string[]): Promise<void>
}

/** What became of an event that was submitted. */
export type Receipt = { duplicate: boolean; idempotencyKey: string; eventId: string }

/** What ingesting needs. */
export type IngestionDeps = { outbox: Pick<Outbox, 'add'>; backends: readonly string[] }

/**
 * Takes events from outside. Of several with the same identity the first is stored, also when they come at once or at
 * different replicas; the others are told its id.
 * @throws Refusal temporarily_unavailable when the database is away: then none is accepted
 */
export async function ingest(
  events: readonly TakenEvent[],
  { outbox, backends }: IngestionDeps,
): Promise<Receipt[]> {
  // Of two entries with one key a Map keeps the later value, in the place of the earlier.
  const byIdentity = new Map(events.map((event) => [event.identity, event]))
  for (const event of events.toReversed()) byIdentity.set(event.identity, event)
  const firsts = [...byIdentity.values()]
  const additions = await outbox.add(firsts, backends)
  const known = new Map(firsts.map((event, index) => [event.identity, { event, ...additions[index] }]))
  return events.map((taken) => {
    const first = known.get(taken.identity)
    if (first?.eventId === undefined) throw new Error('an event was neither stored nor known')
    return {
      duplicate: !(first.stored && first.event === taken),
      idempotencyKey: taken.envelope.idempotency_key,
      eventId: first.eventId,
    }
  })
}
