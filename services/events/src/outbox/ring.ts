import type { OutgoingEvent } from '../envelopes/backend.ts'

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
 * @param most how many are held
 * @param mostCharacters how many characters they have together; fewer events are held if these are large
 */
export function createRing(most: number, mostCharacters: number): Ring {
  let held: HeldEvent[] = []
  let characters = 0
  let last = 0
  return {
    push(events) {
      for (const event of events) {
        held.push({ number: ++last, event })
        characters += event.size
      }
      if (held.length <= 2 * most && characters <= 2 * mostCharacters) return
      held = newest(held, most, mostCharacters)
      characters = held.reduce((sum, { event }) => sum + event.size, 0)
    },
    after: (number) => newest(held, most, mostCharacters).filter((one) => one.number > number),
  }
}

function newest(held: readonly HeldEvent[], most: number, mostCharacters: number): HeldEvent[] {
  let left = mostCharacters
  const end = held.slice(-most)
  const tooOld = end.findLastIndex(({ event }) => {
    left -= event.size
    return left < 0
  })
  return end.slice(tooOld + 1)
}
