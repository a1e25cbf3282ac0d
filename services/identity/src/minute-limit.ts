/**
 * Says whether something may be done that is done at most once a minute for each of its keys. It may be done when none of
 * the keys had their turn in the last minute; then this is the turn of all of them.
 */
export type MinuteLimit = (keys: readonly string[]) => boolean

/** How many keys are remembered at once: with more, nothing more may be done until some are forgotten. */
const mostKeys = 10_000

/** In milliseconds. */
const minute = 60_000

/**
 * A limit in the memory of this process: each replica has its own.
 * @param monotonicNow milliseconds, of a clock that never goes back
 */
export function createMinuteLimit(monotonicNow: () => number): MinuteLimit {
  // In the order in which they were added, so those that are over come first.
  const ends = new Map<string, number>()
  return (keys) => {
    const now = monotonicNow()
    for (const [key, end] of ends) {
      if (end > now) break
      ends.delete(key)
    }
    if (ends.size + keys.length > mostKeys || keys.some((key) => ends.has(key))) return false
    for (const key of keys) ends.set(key, now + minute)
    return true
  }
}
