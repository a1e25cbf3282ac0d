import type { Bucket } from '@gatehouse/proto/limits'
import { LRUCache } from 'lru-cache'
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import type { RedisClient } from './redis-client.ts'
import { traceCount } from './redis-trace.ts'

/** The part of its limit that a key has left. */
export type Standing = {
  /** Whether the counted request is within the limit. */
  allowed: boolean
  limit: number
  /** How many requests are left in the window. */
  remaining: number
  /** Seconds until the window ends. */
  reset: number
}

/** Counts requests. */
export type RateLimiter = {
  /** Counts one request. Never fails: when Redis does not answer, it counts in this process. */
  count(bucket: Bucket, key: string): Promise<Standing>
  /** The standing of a key if this process knows that it has nothing left. Does not ask Redis and counts nothing. */
  exhausted(bucket: Bucket, key: string): Standing | undefined
}

/** The needs of the limiter. */
export type RateLimiterDeps = {
  /** How many requests a window allows, by bucket. */
  limits: Record<Bucket, number>
  /** The counters that all gateways share; absent when each gateway counts by itself. */
  redis?: SharedCounters | undefined
  /** A monotonic clock, in milliseconds. */
  now(): number
}

/** The Redis in which all gateways count, with callbacks for whether it answered. */
export type SharedCounters = {
  client: RedisClient
  answered(): void
  /** Called when a request could not be counted there. */
  failed(error: Error): void
}

/** How often a key was counted in its window, and the milliseconds until the window ends. */
type Count = { consumed: number; msLeft: number }

/** In seconds. A window begins with its first request. */
const windowSeconds = 60
/** How many keys a process remembers, about 20 MB. A limit, because anybody can create any number of keys. */
const mostKeys = 100_000

/** Creates a limiter. In Redis a request takes one round trip, or none when its key is known to have nothing left. */
export function createRateLimiter({ limits, redis, now }: RateLimiterDeps): RateLimiter {
  const countAlone = ownCounters(now)
  const countTogether = redis && sharedCounters(redis, limits, countAlone)
  /** The ends of the windows of the keys that have nothing left. */
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
      const refused = standingOfExhausted(bucket, name)
      if (refused) return refused
      const count = countTogether ? await countTogether(bucket, key) : countAlone(name)
      const { consumed, msLeft } = count
      // With a ttl of 0 the entry would never expire.
      if (consumed >= limits[bucket] && msLeft > 0) exhausted.set(name, now() + msLeft, { ttl: msLeft })
      return standing(bucket, count)
    },
  }
}

/** The options of a cache of keys. @param now a monotonic clock, in milliseconds */
function remembering(now: () => number) {
  // A resolution of 0 reads the clock each time; by default the cache would set a timer.
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

/** Counts in Redis, or in this process when that fails. */
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
    // A request over the limit also rejects, with its count.
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
