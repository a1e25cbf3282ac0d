import type { TakenEvent } from './submission.ts'

/** An event that waits in the outbox. */
export type StoredEvent = {
  position: string
  json: string
  /** The parties that it is about; see `OutgoingEvent`. */
  parties: readonly string[]
  /** Whether it was postponed before, and has no order any more. Its time has come. */
  wasSetAside: boolean
}

/** The result of adding an event. */
export type Addition = { stored: boolean; eventId: string }

/** The events that wait for a backend. */
export type Backlog = {
  /** How many events; at most 100,000 are counted. */
  waiting: number
  /** When the oldest of them was accepted; undefined when none waits. */
  since: Date | undefined
}

/** The queue, shared by all replicas, in which events from outside wait until each backend has them. */
export type Outbox = {
  /**
   * Stores, for each backend, the events whose identity was not accepted within the last 24 hours.
   * @param events no two of them have the same identity
   * @returns for each event whether it was stored, and the id of the event that was accepted first
   */
  add(events: readonly TakenEvent[], backends: readonly string[]): Promise<Addition[]>
  /**
   * The next events for a backend, in the order in which they came; behind them a few that were postponed and whose time has come. Fewer
   * than the limit if they are large.
   */
  next(backend: string, limit: number): Promise<StoredEvent[]>
  /**
   * Some of the events behind a position: the newest, and those at some places between it and them, each from 0 up to 1. Without events
   * before which one of the same client or user waits, unless that is one of the parties that have no order now.
   */
  fromElsewhere(
    backend: string,
    after: string,
    places: readonly number[],
    unordered: readonly string[],
  ): Promise<StoredEvent[]>
  remove(positions: readonly string[]): Promise<void>
  /** Keeps these out of `next` for some time, in milliseconds. */
  postpone(events: readonly { position: string; forMs: number }[]): Promise<void>
  /** Stores events that a backend gets after some time, in milliseconds. */
  addLater(backend: string, events: readonly { json: string; forMs: number }[]): Promise<void>
  /** The backlog of each of these backends, in their order. */
  backlogs(backends: readonly string[]): Promise<Backlog[]>
}

/** The outcome of a submitted event. */
export type Receipt = { duplicate: boolean; idempotencyKey: string; eventId: string }

/** The needs of ingest. */
export type IngestionDeps = { outbox: Pick<Outbox, 'add'>; backends: readonly string[] }

/**
 * Accepts events from outside. Of several events with the same identity only the first is stored, even if they come at the
 * same time or at different replicas; the others get its id.
 * @throws Refusal temporarily_unavailable when the database is unavailable; then no event is accepted
 */
export async function ingest(
  events: readonly TakenEvent[],
  { outbox, backends }: IngestionDeps,
): Promise<Receipt[]> {
  // For a repeated key a Map keeps the place of the first entry but the value of the last; the reversed loop restores the
  // first value.
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
      idempotencyKey: taken.idempotencyKey,
      eventId: first.eventId,
    }
  })
}
