import { createExpiringMap } from './expiring-map.ts'

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
  const right = createExpiringMap<true>({ most, longest: remembered, now })
  return {
    succeeded: (key) => right.set(key, true, now() + remembered),
    areKnown: (key) => right.get(key) !== undefined,
  }
}
