/** Which credentials were right a moment ago, so that their owner is not shut out with a guesser at his address. */
export type KnownCredentials = {
  succeeded(key: string): void
  /** Whether they were right within the last minute. */
  areKnown(key: string): boolean
}

/** In milliseconds. */
const remembered = 60_000
const most = 10_000

/**
 * Remembers what was right lately.
 * @param now milliseconds since the Unix epoch
 */
export function createKnownCredentials(now: () => number): KnownCredentials {
  const lastRight = new Map<string, number>()
  return {
    succeeded(key) {
      // To the end of the map: what was not right for longest goes first.
      lastRight.delete(key)
      lastRight.set(key, now())
      if (lastRight.size <= most) return
      for (const oldest of lastRight.keys()) {
        lastRight.delete(oldest)
        break
      }
    },
    areKnown: (key) => now() - (lastRight.get(key) ?? Number.NEGATIVE_INFINITY) <= remembered,
  }
}
