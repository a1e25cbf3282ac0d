import { type Bucket, buckets, limits as table } from '@gatehouse/proto/limits'
import { createKnownCredentials } from '../../src/limits/known-credentials.ts'
import { createOverLimits } from '../../src/limits/over-limits.ts'
import { createRateLimiter } from '../../src/limits/rate-limiter.ts'
import { type Changes, gateway } from '../../testing/gateway.ts'

/** The documented limits. */
export const limits = limitsBy((bucket) => table[bucket].perMinute)

/** A limit for each bucket. */
export function limitsBy(limitOf: (bucket: Bucket) => number): Record<Bucket, number> {
  return Object.fromEntries(buckets.map((bucket) => [bucket, limitOf(bucket)])) as Record<Bucket, number>
}

/** A clock that a test sets, in milliseconds. */
export type Clock = { now: number }

/** A gateway that limits requests in its own process, with a clock that stands still. */
export async function limitedGateway(changes: Changes = {}, clock: Clock = { now: 1_900_000_000_000 }) {
  const now = () => clock.now
  const limiter = createRateLimiter({ limits, now })
  const over = createOverLimits({ shared: undefined, now })
  const rateLimits = async () => ({ perMinute: limits, ...(await over.list()) })
  const served = await gateway({
    limits: { limiter, known: createKnownCredentials(now), over },
    rateLimits,
    ...changes,
  })
  return { ...served, limiter, over, clock }
}
