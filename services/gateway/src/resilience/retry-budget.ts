/** Limits how many calls are repeated, so that a failing service does not get many more calls than a healthy one. */
export type RetryBudget = {
  /** Notes a call. */
  called(): void
  /** @returns whether one more call may be repeated; if so, the retry is counted */
  take(): boolean
}

/** In milliseconds. */
const windowMs = 10_000
const slices = 10
/** At least this many retries a window, so that a quiet system can retry too. */
const least = 3

/**
 * Creates a budget over the last 10 seconds.
 * @param percent how many of 100 calls may be repeated; 0 for none at all
 * @param now a monotonic clock, in milliseconds
 */
export function createRetryBudget(percent: number, now: () => number): RetryBudget {
  const counts = Array.from({ length: slices }, () => ({ slice: -1, calls: 0, retries: 0 }))

  function current() {
    const slice = Math.floor((now() / windowMs) * slices)
    const count = counts[slice % slices] as (typeof counts)[number]
    if (count.slice !== slice) Object.assign(count, { slice, calls: 0, retries: 0 })
    return count
  }

  return {
    called() {
      current().calls += 1
    },
    take() {
      const latest = current()
      let calls = 0
      let retries = 0
      for (const count of counts) {
        if (count.slice <= latest.slice - slices) continue
        calls += count.calls
        retries += count.retries
      }
      if (percent === 0 || retries >= Math.max(least, (calls * percent) / 100)) return false
      latest.retries += 1
      return true
    },
  }
}
