import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'

/** What requests are counted in, each with a limit of its own. */
export type Bucket = 'authorize' | 'token' | 'introspect' | 'other' | 'failed_authentication'

/** How a key stands in its bucket after a request was counted. */
export type Standing = {
  /** Whether the request is within the limit. */
  allowed: boolean
  limit: number
  /** How many requests are left in the window. */
  remaining: number
  /** Seconds until the window ends. */
  reset: number
}

/** Counts requests. Never fails: without Redis it counts in this process alone. */
export type RateLimiter = { count(bucket: Bucket, key: string): Promise<Standing> }

/** What the limiter needs. */
export type RateLimiterDeps = {
  /** How many requests a window allows, by bucket. */
  limits: Record<Bucket, number>
  /** Where all gateways count together; absent: each counts by itself. */
  redis?: Redis | undefined
  /** Told of each request that could not be counted in Redis. */
  countedAlone?(): void
}

/** In seconds. A window begins with its first request. */
const windowSeconds = 60

/** A limiter that counts in Redis, one round trip a request, and a key that is over its limit not even that. */
export function createRateLimiter({ limits, redis, countedAlone }: RateLimiterDeps): RateLimiter {
  const counters = Object.fromEntries(
    Object.entries(limits).map(([bucket, points]) => {
      const options = { points, duration: windowSeconds, keyPrefix: `gatehouse:limit:${bucket}` }
      if (!redis) return [bucket, new RateLimiterMemory(options)]
      const alone = new ToldMemory(options, countedAlone)
      return [
        bucket,
        new RateLimiterRedis({
          ...options,
          storeClient: redis,
          insuranceLimiter: alone,
          rejectIfRedisNotReady: true,
          inMemoryBlockOnConsumed: points,
        }),
      ]
    }),
  ) as Record<Bucket, RateLimiterMemory | RateLimiterRedis>

  return {
    async count(bucket, key) {
      const limit = limits[bucket]
      try {
        return standing(true, limit, await counters[bucket].consume(key))
      } catch (exceeded) {
        if (exceeded instanceof Error) throw exceeded
        return standing(false, limit, exceeded as RateLimiterRes)
      }
    },
  }
}

function standing(
  allowed: boolean,
  limit: number,
  { remainingPoints, msBeforeNext }: RateLimiterRes,
): Standing {
  const remaining = allowed ? Math.max(0, remainingPoints) : 0
  return { allowed, limit, remaining, reset: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
}

/** What counts while Redis does not answer. */
class ToldMemory extends RateLimiterMemory {
  readonly #countedAlone: (() => void) | undefined

  constructor(
    options: ConstructorParameters<typeof RateLimiterMemory>[0],
    countedAlone: (() => void) | undefined,
  ) {
    super(options)
    this.#countedAlone = countedAlone
  }

  override consume(...request: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#countedAlone?.()
    return super.consume(...request)
  }
}
