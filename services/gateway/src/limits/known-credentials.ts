import { LRUCache } from 'lru-cache'

/** Which credentials were right a moment ago, so that their owner is not refused together with a guesser at the same address. */
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
 * @param now a clock, in milliseconds from whenever
 */
export function createKnownCredentials(now: () => number): KnownCredentials {
  const right = new LRUCache<string, true>({ max: most, ttl: remembered, ttlResolution: 0, perf: { now } })
  return {
    succeeded: (key) => void right.set(key, true),
    areKnown: (key) => right.has(key),
  }
}
