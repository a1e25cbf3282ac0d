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

/** The name of a limit's variable. */
export type LimitVariable = Extract<(typeof limitOf)[Bucket], string>
