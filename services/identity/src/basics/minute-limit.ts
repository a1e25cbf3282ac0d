/**
 * Limits something to once a minute for each key. Returns true when none of the keys was used in the last minute, and marks
 * all of them as used; otherwise returns false and marks none.
 */
export type MinuteLimit = (keys: readonly string[]) => boolean

/** The most keys remembered at once. When it is reached, the answer for new keys is no until some expire. */
const mostKeys = 10_000

/** In milliseconds. */
const minute = 60_000

/**
 * Creates a limit in this process's memory: each replica has its own.
 * @param monotonicNow milliseconds from a monotonic clock
 */
export function createMinuteLimit(monotonicNow: () => number): MinuteLimit {
  // A map keeps insertion order, so expired keys come first.
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
