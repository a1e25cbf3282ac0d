/** Judges a receiver by its answers. Events from outside and our own share it. */
export type Trust = {
  /** Notes that it accepted or refused an event, and how long that took, in milliseconds. */
  answered(durationMs: number): void
  /** Notes that an event failed. */
  failed(): void
  /** How many events it has answered. */
  answers(): number
  /** Whether it has answered lately, so that a failure is that of the event. */
  blamesEvents(): boolean
  /** Notes that it asked to wait until then. */
  askedToWait(until: number): void
  /** Whether it asked to wait, and has answered nothing since. */
  asksToWait(): boolean
  /** After how long without an answer a post is slow, in milliseconds. */
  slowAfter(): number
}

/** How many events in a row may fail because of themselves. When more do, the receiver has more likely gone away. */
const mostInRow = 100
/** In milliseconds. */
const leastSlow = 250
/** In milliseconds. A post ends then. */
const mostSlow = 5_000

/**
 * Creates the trust in a receiver that has not answered yet.
 * @param now milliseconds since the Unix epoch
 */
export function createTrust(now: () => number): Trust {
  let answers = 0
  let failedInRow = 0
  let usual = 0
  let waitUntil = 0
  return {
    answered(durationMs) {
      answers += 1
      failedInRow = 0
      waitUntil = 0
      usual += (durationMs - usual) / 10
    },
    failed() {
      failedInRow += 1
    },
    answers: () => answers,
    blamesEvents: () => failedInRow <= mostInRow,
    askedToWait(until) {
      waitUntil = until
    },
    asksToWait: () => now() < waitUntil,
    // A receiver that takes its time for each event gets no more of them at once than others.
    slowAfter: () => Math.min(mostSlow, Math.max(leastSlow, 4 * usual)),
  }
}
