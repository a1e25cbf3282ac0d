import type { Redis } from 'ioredis'
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { traceCount } from '../redis-trace.ts'
import { createExpiringMap } from './expiring-map.ts'

/** What is counted, each with a limit of its own. */
export const buckets = ['authorize', 'token', 'introspect', 'other', 'failed_authentication'] as const
/** One of them. */
export type Bucket = (typeof buckets)[number]

/** How a key stands in its bucket. */
export type Standing = {
  /** Whether the request that was counted is within the limit. */
  allowed: boolean
  limit: number
  /** How many requests are left in the window. */
  remaining: number
  /** Seconds until the window ends. */
  reset: number
}

/** Counts requests. */
export type RateLimiter = {
  /** Counts one request. Never fails: without Redis it counts in this process alone. */
  count(bucket: Bucket, key: string): Promise<Standing>
  /** How a key stands that is known here to have nothing left; asks nobody and counts nothing. */
  exhausted(bucket: Bucket, key: string): Standing | undefined
}

/** What the limiter needs. */
export type RateLimiterDeps = {
  /** How many requests a window allows, by bucket. */
  limits: Record<Bucket, number>
  /** Where all gateways count together; absent: each counts by itself. */
  redis?: SharedCounters | undefined
  /** A clock, in milliseconds from whenever. */
  now(): number
}

/** The Redis where all gateways count, and who is told how it did. */
export type SharedCounters = {
  client: Redis
  answered(): void
  /** A request could not be counted there. */
  failed(error: Error): void
}

/** How often a key was counted in its window, and the milliseconds until that ends. */
type Count = { consumed: number; msLeft: number }

/** In seconds. A window begins with its first request. */
const windowSeconds = 60
/** How many keys a process remembers at the most, some 20 MB. Past that, the older half is forgotten. */
const mostKeys = 100_000

/** A limiter that counts in Redis, one round trip a request, and a key that has nothing left not even that. */
export function createRateLimiter({ limits, redis, now }: RateLimiterDeps): RateLimiter {
  const countAlone = ownCounters(now)
  const countTogether = redis && sharedCounters(redis, limits, countAlone)
  /** When the windows end of the keys that have nothing left. */
  const exhausted = createExpiringMap<number>({ most: mostKeys, longest: windowSeconds * 1000, now })

  function standing(bucket: Bucket, { consumed, msLeft }: Count): Standing {
    const limit = limits[bucket]
    const reset = Math.max(1, Math.ceil(msLeft / 1000))
    return { allowed: consumed <= limit, limit, remaining: Math.max(0, limit - consumed), reset }
  }

  function standingOfExhausted(bucket: Bucket, name: string): Standing | undefined {
    const end = exhausted.get(name)
    return end === undefined
      ? undefined
      : standing(bucket, { consumed: Number.POSITIVE_INFINITY, msLeft: end - now() })
  }

  return {
    exhausted: (bucket, key) => standingOfExhausted(bucket, `${bucket}:${key}`),
    async count(bucket, key) {
      const name = `${bucket}:${key}`
      const over = standingOfExhausted(bucket, name)
      if (over) return over
      const count = countTogether ? await countTogether(bucket, key) : countAlone(name)
      if (count.consumed >= limits[bucket]) exhausted.set(name, now() + count.msLeft, now() + count.msLeft)
      return standing(bucket, count)
    },
  }
}

/** Counts in this process. */
function ownCounters(now: () => number): (name: string) => Count {
  const windows = createExpiringMap<{ consumed: number; end: number }>({
    most: mostKeys,
    longest: windowSeconds * 1000,
    now,
  })
  return (name) => {
    const window = windows.get(name) ?? { consumed: 0, end: now() + windowSeconds * 1000 }
    window.consumed += 1
    if (window.consumed === 1) windows.set(name, window, window.end)
    return { consumed: window.consumed, msLeft: window.end - now() }
  }
}

/** Counts in Redis, or alone where that fails. */
function sharedCounters(
  { client, answered, failed }: SharedCounters,
  limits: Record<Bucket, number>,
  countAlone: (name: string) => Count,
): (bucket: Bucket, key: string) => Promise<Count> {
  const counters = Object.fromEntries(
    Object.entries(limits).map(([bucket, points]) => [
      bucket,
      new RateLimiterRedis({
        points,
        duration: windowSeconds,
        keyPrefix: `gatehouse:limit:${bucket}`,
        storeClient: client,
        rejectIfRedisNotReady: true,
      }),
    ]),
  ) as Record<Bucket, RateLimiterRedis>

  return async (bucket, key) => {
    // What is over the limit rejects, too.
    const result = await traceCount(bucket, () =>
      counters[bucket].consume(key).catch((reason: RateLimiterRes | Error) => reason),
    )
    if (result instanceof Error) {
      failed(result)
      return countAlone(`${bucket}:${key}`)
    }
    answered()
    return { consumed: result.consumedPoints, msLeft: result.msBeforeNext }
  }
}
