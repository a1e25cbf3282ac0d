import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { traceCount } from '../redis-trace.ts'

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
/** How many keys a process remembers at most, some 20 MB: strangers can make as many as they like. */
const mostKeys = 100_000

/** A limiter that counts in Redis, one round trip a request, and a key that has nothing left not even that. */
export function createRateLimiter({ limits, redis, now }: RateLimiterDeps): RateLimiter {
  const countAlone = ownCounters(now)
  const countTogether = redis && sharedCounters(redis, limits, countAlone)
  /** When the windows end of the keys that have nothing left. */
  const exhausted = new LRUCache<string, number>(remembering(now))

  function standing(bucket: Bucket, { consumed, msLeft }: Count): Standing {
    const limit = limits[bucket]
    const reset = Math.max(1, Math.ceil(msLeft / 1000))
    return { allowed: consumed <= limit, limit, remaining: Math.max(0, limit - consumed), reset }
  }

  function standingOfExhausted(bucket: Bucket, name: string): Standing | undefined {
    const end = exhausted.get(name)
    return end === undefined || end <= now()
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
      const { consumed, msLeft } = count
      // Without a time to live it would stay for ever.
      if (consumed >= limits[bucket] && msLeft > 0) exhausted.set(name, now() + msLeft, { ttl: msLeft })
      return standing(bucket, count)
    },
  }
}

/** What remembers keys. @param now a clock, in milliseconds from whenever */
function remembering(now: () => number) {
  // It looks at the clock each time: by default it would set a timer instead.
  return { max: mostKeys, ttl: windowSeconds * 1000, ttlResolution: 0, perf: { now } }
}

/** Counts in this process. */
function ownCounters(now: () => number): (name: string) => Count {
  const windows = new LRUCache<string, { consumed: number; end: number }>(remembering(now))
  return (name) => {
    const last = windows.get(name)
    const begun = last !== undefined && last.end > now()
    const window = begun ? last : { consumed: 0, end: now() + windowSeconds * 1000 }
    window.consumed += 1
    if (!begun) windows.set(name, window)
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
