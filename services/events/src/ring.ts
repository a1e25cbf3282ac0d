import type { OutgoingEvent } from './backend.ts'

/** An event that is held, with its number, from 1 on. */
export type HeldEvent = { number: number; event: OutgoingEvent }

/** The newest events. */
export type Ring = {
  push(events: readonly OutgoingEvent[]): void
  /** Those after a number, the oldest first. */
  after(number: number): HeldEvent[]
}

/**
 * Holds so many events and forgets the oldest.
 * @param size how many
 */
export function createRing(size: number): Ring {
  let held: HeldEvent[] = []
  let last = 0
  return {
    push(events) {
      for (const event of events) held.push({ number: ++last, event })
      if (held.length > 2 * size) held = held.slice(-size)
    },
    after: (number) => held.slice(-size).filter((one) => one.number > number),
  }
}
