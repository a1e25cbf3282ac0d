import type { OutgoingEvent } from './backend.ts'

/** A held event with its number, counted from 1. */
export type HeldEvent = { number: number; event: OutgoingEvent }

/** The newest events. */
export type Ring = {
  push(events: readonly OutgoingEvent[]): void
  /** The held events after a number, oldest first. */
  after(number: number): HeldEvent[]
}

/**
 * Holds the newest events and forgets older ones.
 * @param size how many are held
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
