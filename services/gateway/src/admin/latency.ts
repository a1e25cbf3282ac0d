import { durationBuckets } from '@gatehouse/kit/metrics'

/**
 * How long the quickest part of requests took at most, estimated from a histogram as Prometheus's histogram_quantile does
 * it: evenly spread within a bucket.
 * @param counts by bucket, not cumulative, one more for what took longer than the last
 * @param part from 0 to 1: 0.95 for the 95th percentile
 * @returns seconds; undefined: there were no requests
 */
export function latencyOf(counts: readonly number[], part: number): number | undefined {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return undefined
  const rank = part * all
  let below = 0
  for (const [index, bound] of durationBuckets.entries()) {
    const count = counts[index] ?? 0
    if (below + count >= rank && count > 0) {
      const from = durationBuckets[index - 1] ?? 0
      return from + ((bound - from) * (rank - below)) / count
    }
    below += count
  }
  // It is in the bucket without an end.
  return durationBuckets.at(-1)
}
