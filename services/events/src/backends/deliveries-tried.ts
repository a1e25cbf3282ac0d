import type { EventSetAside, OutgoingEvent } from '../backend.ts'
import { deliveryIdOf } from '../envelope.ts'

/** Which events the receiver did not accept although it accepted others. */
export type Tries = {
  begun(event: OutgoingEvent): void
  failed(event: OutgoingEvent): void
  /** The receiver accepted or refused it. */
  answered(event: OutgoingEvent): void
  /**
   * Puts those that failed, and those that must wait for them, behind the others. So many that fail cannot keep those from their turn
   * that the receiver would accept.
   * @param keysOf of two events that share a key, the later one must wait
   */
  lastOnes(
    events: readonly OutgoingEvent[],
    keysOf: (event: OutgoingEvent) => readonly string[],
  ): OutgoingEvent[]
  /** Whether it failed so often that it is set aside if the receiver accepts others. */
  isExhausted(event: OutgoingEvent): boolean
  /** Those that are set aside now, each for how long. */
  toSetAside(events: readonly OutgoingEvent[]): EventSetAside[]
}

/** How often an event is tried before it is set aside; afterwards once. */
const mostTries = 3
/** In milliseconds: each time twice as long. */
const firstPause = 60_000
const longestPause = 3_600_000
/** How many events are remembered. */
const most = 10_000

/** `acceptedBefore`: how many events the receiver had answered when this one was first tried. */
type Tried = { failures: number; acceptedBefore: number; setAside: number; due: boolean }

/** Creates the memory of what was tried. A receiver that accepts nothing is away: then all events wait in their order. */
export function createTries(): Tries {
  const tried = new Map<string, Tried>()
  let accepted = 0
  const of = (event: OutgoingEvent) => tried.get(deliveryIdOf(event.envelope))
  const isExhausted = (known: Tried | undefined) =>
    known !== undefined && (known.failures >= mostTries || (known.failures > 0 && known.setAside > 0))

  return {
    begun(event) {
      const known = of(event)
      if (known !== undefined) known.due = false
      else
        tried.set(deliveryIdOf(event.envelope), {
          failures: 0,
          acceptedBefore: accepted,
          setAside: 0,
          due: false,
        })
      const [oldest] = tried.keys()
      if (tried.size > most && oldest !== undefined) tried.delete(oldest)
    },

    failed(event) {
      const known = of(event)
      if (known === undefined) return
      known.failures += 1
      known.due = true
    },

    answered(event) {
      accepted += 1
      tried.delete(deliveryIdOf(event.envelope))
    },

    lastOnes(events, keysOf) {
      const late = new Set<string>()
      const isLate = (event: OutgoingEvent) => {
        const keys = keysOf(event)
        const waits = (of(event)?.failures ?? 0) > 0 || keys.some((key) => late.has(key))
        if (waits) for (const key of keys) late.add(key)
        return waits
      }
      const { first = [], last = [] } = Object.groupBy(events, (event) => (isLate(event) ? 'last' : 'first'))
      return [...first, ...last]
    },

    isExhausted: (event) => isExhausted(of(event)),

    toSetAside(events) {
      return events.flatMap((event) => {
        const known = of(event)
        if (!known?.due || !isExhausted(known) || accepted === known.acceptedBefore) return []
        const forMs = Math.min(longestPause, firstPause * 2 ** known.setAside)
        Object.assign(known, {
          failures: 0,
          acceptedBefore: accepted,
          setAside: known.setAside + 1,
          due: false,
        })
        return [{ event, forMs }]
      })
    },
  }
}
