import type { EventSetAside, OutgoingEvent } from '../envelopes/backend.ts'
import type { Trust } from './receiver-trust.ts'

/** Which events the receiver did not accept although it accepted others. */
export type Tries = {
  begun(event: OutgoingEvent): void
  /** @param notBefore when it may be tried again, in milliseconds since the Unix epoch; in the past for at any time */
  failed(event: OutgoingEvent, notBefore: number): void
  /** The receiver accepted or refused it. */
  answered(event: OutgoingEvent): void
  /** Whether it failed before, so that others go before it. */
  isLate(event: OutgoingEvent): boolean
  /** Whether it failed, and the receiver has answered others since it was first tried. */
  isSuspect(event: OutgoingEvent): boolean
  /** Whether it failed so often that it is set aside if the receiver accepts others. */
  isExhausted(event: OutgoingEvent): boolean
  /** Whether the events of a party need not wait for each other: one of them was set aside lately. */
  isPassed(party: string): boolean
  /** The parties of which that is so, the newest thousand. */
  passed(): string[]
  /** Whether it may be tried now. @param rested whether nothing was posted for a while after a failure */
  isDue(event: OutgoingEvent, rested: boolean): boolean
  /** Those that are set aside now, each for how long. */
  toSetAside(events: readonly OutgoingEvent[]): EventSetAside[]
}

/** How often an event is tried before it is set aside; afterwards once. */
const mostTries = 3
/** How long an event that failed is not tried again while others are posted, in milliseconds. */
const betweenTries = 1_000
/** In milliseconds: each time twice as long. */
const firstPause = 60_000
const longestPause = 3_600_000
/** How long the others do not wait for each other after an event of their client or user was set aside, in milliseconds. */
const passedFor = 600_000
/** How many parties one look at the outbox leaves out of the order. */
const mostPassed = 1_000
/** How many events, and how many clients and users, are remembered. */
const most = 10_000

/** `answersBefore`: how many events the receiver had answered when this one was first tried. */
type Tried = {
  failures: number
  failedAt: number
  notBefore: number
  answersBefore: number
  setAside: number
  /** Whether the last failure, which is not judged yet, is more likely that of the event than that of the receiver. */
  blamed: boolean
}

/** Creates the memory of what was tried. A receiver that accepts nothing is away: then all events wait in their order. */
export function createTries(
  trust: Pick<Trust, 'answers' | 'failed' | 'blamesEvents'>,
  now: () => number,
): Tries {
  const tried = new Map<string, Tried>()
  const passedUntil = new Map<string, number>()
  const of = (event: OutgoingEvent) => tried.get(event.key)
  const isSuspect = (known: Tried | undefined): known is Tried =>
    known !== undefined && known.failures > 0 && known.answersBefore !== trust.answers()
  const isExhausted = (known: Tried | undefined) =>
    known !== undefined && (known.failures >= mostTries || (known.failures > 0 && known.setAside > 0))
  const isPassed = (party: string) => now() < (passedUntil.get(party) ?? 0)
  const pass = (party: string) => {
    passedUntil.delete(party)
    passedUntil.set(party, now() + passedFor)
    forgetOldest(passedUntil)
  }
  const fresh = () => ({
    ...{ failures: 0, failedAt: 0, notBefore: 0, blamed: false },
    answersBefore: trust.answers(),
  })

  return {
    begun(event) {
      const known = of(event)
      if (known !== undefined) known.blamed = false
      else tried.set(event.key, { ...fresh(), setAside: event.wasSetAside ? 1 : 0 })
      forgetOldest(tried)
    },

    failed(event, notBefore) {
      trust.failed()
      const known = of(event)
      if (known === undefined) return
      Object.assign(known, {
        failures: known.failures + 1,
        failedAt: now(),
        notBefore,
        blamed: trust.blamesEvents(),
      })
    },

    answered(event) {
      tried.delete(event.key)
    },

    isLate(event) {
      const { failures = 0, setAside = 0 } = of(event) ?? {}
      return failures > 0 || setAside > 0 || event.wasSetAside
    },

    isSuspect: (event) => isSuspect(of(event)),

    isExhausted: (event) => isExhausted(of(event)),

    isPassed,

    passed: () => [...passedUntil.keys()].filter(isPassed).slice(-mostPassed),

    isDue(event, rested) {
      const known = of(event)
      if (known === undefined || known.failures === 0) return true
      return now() >= known.notBefore && (rested || now() >= known.failedAt + betweenTries)
    },

    toSetAside(events) {
      return events.flatMap((event) => {
        const known = of(event)
        if (!isSuspect(known) || !known.blamed || !isExhausted(known)) return []
        const forMs = Math.min(longestPause, firstPause * 2 ** known.setAside)
        for (const party of event.parties) pass(party)
        Object.assign(known, { ...fresh(), setAside: known.setAside + 1 })
        return [{ event, forMs }]
      })
    },
  }
}

function forgetOldest(map: Map<string, unknown>): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
