import { Counter, metricPrefix } from '@gatehouse/kit/metrics'
import type { ProcessContext } from '@gatehouse/kit/process'
import { createKnownCredentials } from './known-credentials.ts'
import type { LimitDeps } from './limit-requests.ts'
import { createRateLimiter, type SharedCounters } from './rate-limiter.ts'

/** The variables of the limits. */
type LimitConfig = {
  OAUTH2_REDIS_URL?: string
  OAUTH2_RATE_LIMIT_AUTHORIZE: number
  OAUTH2_RATE_LIMIT_TOKEN: number
  OAUTH2_RATE_LIMIT_INTROSPECT: number
  OAUTH2_RATE_LIMIT_OTHER: number
  OAUTH2_RATE_LIMIT_ADMIN: number
}

/** In milliseconds. Monotonic: if the system's clock were set back, a window would last longer by as much. */
const now = () => performance.now()

/** How many requests of an import an administrator may send in a minute. Each has hundreds of users. */
const mostImports = 1_200

/** How many failed client authentications a minute one address may have. */
const mostFailedAuthentications = 100

/**
 * Opens the limits of a process. They count in Redis if it is configured, and close with the process.
 * @throws ConfigurationError when OAUTH2_REDIS_URL is invalid
 */
export async function openLimits(context: ProcessContext<LimitConfig>): Promise<Omit<LimitDeps, 'registry'>> {
  const { config } = context
  const url = config.OAUTH2_REDIS_URL
  const limiter = createRateLimiter({
    redis: url === undefined ? undefined : await shared(url, context),
    limits: {
      authorize: config.OAUTH2_RATE_LIMIT_AUTHORIZE,
      token: config.OAUTH2_RATE_LIMIT_TOKEN,
      introspect: config.OAUTH2_RATE_LIMIT_INTROSPECT,
      import: mostImports,
      admin: config.OAUTH2_RATE_LIMIT_ADMIN,
      other: config.OAUTH2_RATE_LIMIT_OTHER,
      failed_authentication: mostFailedAuthentications,
    },
    now,
  })
  return { limiter, known: createKnownCredentials(now) }
}

async function shared(
  url: string,
  { log, registry, onShutdown }: ProcessContext<LimitConfig>,
): Promise<SharedCounters> {
  // Loaded only if it is used.
  const { openRedis } = await import('./redis.ts')
  const redis = openRedis(url, log)
  onShutdown(() => redis.client.disconnect())
  const alone = new Counter({
    name: `${metricPrefix}rate_limit_counted_alone_total`,
    help: 'Requests that were counted in the gateway process because Redis did not answer.',
    registers: [registry],
  })
  return {
    ...redis,
    failed(error) {
      alone.inc()
      redis.failed(error)
    },
  }
}
