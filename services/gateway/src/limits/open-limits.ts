import { followSecret } from '@gatehouse/kit/files/follow-secret'
import type { ProcessContext } from '@gatehouse/kit/process/process'
import { instance } from '@gatehouse/kit/release'
import { Counter, metricPrefix } from '@gatehouse/kit/telemetry/metrics'
import { repeat } from '@gatehouse/kit/time/repeat'
import { type Bucket, buckets, type LimitVariable } from '@gatehouse/proto/limits'
import { createKnownCredentials } from './known-credentials.ts'
import type { LimitDeps } from './limit-requests.ts'
import { limitOf } from './limit-table.ts'
import { createOverLimits, type OverLimits, type SharedOverLimits } from './over-limits.ts'
import { createRateLimiter, type SharedCounters } from './rate-limiter.ts'
import { redisVariable } from './redis-variable.ts'
import { shareOverLimits } from './shared-over-limits.ts'

/** The variables of the limits. */
type LimitConfig = { OAUTH2_REDIS_URL?: string } & Record<LimitVariable, number>

/** In milliseconds. Monotonic: if the system's clock were set back, a window would last longer by as much. */
const now = () => performance.now()

/** How often the other gateways are told who is over a limit, in milliseconds. */
const shareEvery = 1_000

/** The limits of a process. */
type OpenLimits = Omit<LimitDeps, 'registry' | 'over'> & {
  over: OverLimits
  /** How many requests a minute each limit allows. */
  limits: Readonly<Record<Bucket, number>>
}

/**
 * Opens the limits of a process. They count in Redis if it is configured, and close with the process.
 * @throws ConfigurationError when OAUTH2_REDIS_URL is invalid
 */
export async function openLimits(context: ProcessContext<LimitConfig>): Promise<OpenLimits> {
  const { config } = context
  const limits = Object.fromEntries(
    buckets.map((bucket) => {
      const limit = limitOf(bucket)
      return [bucket, typeof limit === 'number' ? limit : config[limit]]
    }),
  ) as Record<Bucket, number>
  const url = config.OAUTH2_REDIS_URL
  const redis = url === undefined ? undefined : await openShared(url, context)
  const limiter = createRateLimiter({ redis: redis?.counters, limits, now })
  const over = createOverLimits({ shared: redis?.over, now: Date.now })
  if (redis) repeat(context, 'telling the other gateways who is over a limit', shareEvery, over.share)
  return { limiter, known: createKnownCredentials(now), over, limits }
}

/** Opens what all gateways share over Redis. */
async function openShared(
  value: string,
  context: ProcessContext<LimitConfig>,
): Promise<{ counters: SharedCounters; over: SharedOverLimits }> {
  // Loaded only if it is used.
  const { openRedis } = await import('./redis.ts')
  const { log, registry, onShutdown } = context
  const { OAUTH2_REDIS_URL: schema } = redisVariable
  const redis = openRedis(value, log)
  const { renewLogin: take } = redis
  if (take) await followSecret(context, { name: 'OAUTH2_REDIS_URL', schema, value, take })
  onShutdown(() => redis.client.disconnect())
  const alone = new Counter({
    name: `${metricPrefix}rate_limit_counted_alone_total`,
    help: 'Requests that were counted in the gateway process because Redis did not answer.',
    registers: [registry],
  })
  const counters = {
    ...redis,
    failed(error: Error) {
      alone.inc()
      redis.failed(error)
    },
  }
  return { counters, over: shareOverLimits(redis.client, instance) }
}
