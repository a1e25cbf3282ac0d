import type { Delivered, EventSetAside, OutgoingEvent, Way } from '../envelopes/backend.ts'
import type { Tries } from './deliveries-tried.ts'
import type { Trust } from './receiver-trust.ts'
import { createQueue } from './webhook-queue.ts'
import { createTurn } from './webhook-turn.ts'

/** The needs of createLane. */
export type LaneDeps = {
  /** @throws Error when the event must be sent again */
  post(event: OutgoingEvent, signal: AbortSignal): Promise<void>
  tries: Tries
  trust: Trust
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** From 0 up to 1. */
  random(): number
}

/**
 * A way to deliver events to the webhook, with posts of its own. A failure stops only the later events of the same client or user, as
 * long as the receiver accepts others. While it accepts nothing, a delivery posts a few events from all over those that wait: there may
 * be one among them that it accepts, behind many that it does not.
 */
export function createLane({ post, tries, trust, now, random }: LaneDeps): Way {
  const underWay = new Map<string, Promise<boolean>>()
  /** The events that are settled and not reported yet: a slow post may outlast its delivery. */
  const settled = new Map<string, OutgoingEvent>()
  let failing = false
  let rested = true
  let lastAnswers = trust.answers()
  let failure: unknown

  const begin = (event: OutgoingEvent, signal: AbortSignal) => {
    const { key } = event
    const posting = post(event, signal)
      .then(
        () => settled.set(key, event).has(key),
        (error) => {
          failure = error
          return false
        },
      )
      .finally(() => underWay.delete(key))
    underWay.set(key, posting)
    return posting
  }

  const stateOf = (event: OutgoingEvent) => {
    if (settled.has(event.key)) return 'settled'
    return !underWay.has(event.key) && tries.isDue(event, rested) ? 'due' : 'waits'
  }

  /** Parties of which an event was set aside lately have no order: many that hang would keep the others away one after the other. */
  const keysOf = ({ parties }: OutgoingEvent) => parties.filter((party) => !tries.isPassed(party))

  return {
    isFailing: () => failing,
    unordered: tries.passed,

    async deliver(events, signal) {
      const { isLate } = tries
      const queue = createQueue(events, { keysOf, isLate, fromAllPlaces: failing, random })
      const turn = createTurn({
        ...{ queue, stateOf, begin, tries, trust, now, signal },
        underWay: () => underWay.size,
        answersBefore: lastAnswers,
      })
      lastAnswers = trust.answers()
      const begun = await turn.run()
      // Slow posts of earlier deliveries: the next one begins others beside them.
      if (begun === 0 && underWay.size > 0) await turn.patience(Promise.race(underWay.values()))
      // Nobody waits for the answer any more. The next call tells of the accepted events.
      if (signal.aborted) throw failure ?? signal.reason
      const aside = tries.toSetAside(events)
      const taken = new Set(settled.values())
      settled.clear()
      failing = underWay.size > 0 || events.some(isLate)
      const progress = taken.size + aside.length > 0
      // The caller pauses after a failure, but not for slow posts: others can be posted beside them.
      rested = !progress && (underWay.size === 0 || turn.wasInVain())
      if (!rested) return answerOf(events, taken, aside)
      if (begun === 0 && trust.asksToWait()) throw new Error('the receiver asked to wait (Retry-After)')
      throw failure ?? new Error('the events are tried again later')
    },
  }
}

/** The plainest form of an answer. */
function answerOf(
  events: readonly OutgoingEvent[],
  settled: ReadonlySet<OutgoingEvent>,
  aside: readonly EventSetAside[],
): number | Delivered {
  const isStart = events.slice(0, settled.size).every((event) => settled.has(event))
  return isStart && settled.size > 0 && aside.length === 0 ? settled.size : { settled, aside }
}
