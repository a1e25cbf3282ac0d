import { LRUCache } from 'lru-cache'

/** Credentials that were valid a moment ago, so that their owner is not refused because of a guesser at the same address. */
export type KnownCredentials = {
  succeeded(key: string): void
  /** Whether the credentials were valid within the last minute. */
  areKnown(key: string): boolean
}

/** In milliseconds. */
const remembered = 60_000
const most = 10_000

/**
 * Remembers credentials that were valid within the last minute.
 * @param now a monotonic clock, in milliseconds
 */
export function createKnownCredentials(now: () => number): KnownCredentials {
  const right = new LRUCache<string, true>({ max: most, ttl: remembered, ttlResolution: 0, perf: { now } })
  return {
    succeeded: (key) => void right.set(key, true),
    areKnown: (key) => right.has(key),
  }
}
