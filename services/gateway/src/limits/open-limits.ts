import { Counter, metricPrefix } from '@gatehouse/kit/metrics'
import type { ProcessContext } from '@gatehouse/kit/process'
import { createKnownCredentials } from './known-credentials.ts'
import type { LimitDeps } from './limit-requests.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { openRedis } from './redis.ts'

/** The variables of the limits. */
type LimitConfig = {
  OAUTH2_REDIS_URL?: string
  OAUTH2_RATE_LIMIT_AUTHORIZE: number
  OAUTH2_RATE_LIMIT_TOKEN: number
  OAUTH2_RATE_LIMIT_INTROSPECT: number
  OAUTH2_RATE_LIMIT_OTHER: number
}

/** How many failed client authentications a minute one address may have. */
const mostFailedAuthentications = 100

/** The limits of a process, counted in Redis where there is one; they end with the process. */
export function openLimits(context: ProcessContext<LimitConfig>): Omit<LimitDeps, 'registry'> {
  const { config, log, registry, onShutdown } = context
  const redis = config.OAUTH2_REDIS_URL === undefined ? undefined : openRedis(config.OAUTH2_REDIS_URL, log)
  if (redis) onShutdown(() => redis.disconnect())
  const alone = new Counter({
    name: `${metricPrefix}rate_limit_counted_alone_total`,
    help: 'Requests that were counted in the gateway process because Redis did not answer.',
    registers: [registry],
  })
  const limiter = createRateLimiter({
    redis,
    countedAlone() {
      alone.inc()
      // A Redis that hangs would keep every request waiting; a new connection is not used before it has answered.
      if (redis?.status === 'ready') redis.disconnect(true)
    },
    limits: {
      authorize: config.OAUTH2_RATE_LIMIT_AUTHORIZE,
      token: config.OAUTH2_RATE_LIMIT_TOKEN,
      introspect: config.OAUTH2_RATE_LIMIT_INTROSPECT,
      other: config.OAUTH2_RATE_LIMIT_OTHER,
      failed_authentication: mostFailedAuthentications,
    },
  })
  return { limiter, known: createKnownCredentials(Date.now), now: Date.now }
}
