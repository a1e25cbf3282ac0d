import type { FastifyContextConfig } from 'fastify'
import type { Bucket } from './rate-limiter.ts'

/** How many requests a minute each bucket allows: as a variable says, or a fixed number. */
export const limitOf = {
  authorize: 'OAUTH2_RATE_LIMIT_AUTHORIZE',
  costly: 'OAUTH2_RATE_LIMIT_AUTHORIZE',
  token: 'OAUTH2_RATE_LIMIT_TOKEN',
  introspect: 'OAUTH2_RATE_LIMIT_INTROSPECT',
  // Each request of an import has hundreds of users.
  import: 1_200,
  admin: 'OAUTH2_RATE_LIMIT_ADMIN',
  other: 'OAUTH2_RATE_LIMIT_OTHER',
  failed_authentication: 100,
} as const satisfies Record<Bucket, string | number>

/** The bucket in which the requests of a route count. */
export function bucketOf({ limit, limitByAdministrator }: FastifyContextConfig): Bucket {
  return limit ?? (limitByAdministrator ? 'admin' : 'other')
}

/** The same while nobody knows who sends the request: strangers use up nothing of what administrators have. */
export function bucketOfStrangers(config: FastifyContextConfig): Bucket {
  return config.limitByAdministrator ? 'other' : bucketOf(config)
}

/** The name of a limit's variable. */
export type LimitVariable = Extract<(typeof limitOf)[Bucket], string>
