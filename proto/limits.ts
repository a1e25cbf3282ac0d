/** A limit on the requests of a minute. */
export type LimitDefinition = {
  /** Its requests, where the name does not say it. */
  readonly meaning?: string
  /** How many requests a minute it allows, unless its variable says another number. */
  readonly perMinute: number
  /** The variable that sets it, and where it counts; without `where`, the variable is that of another limit. */
  readonly variable?: { readonly name: string; readonly where?: string }
}

/** Every limit, by the name that metrics and the administrators' API give it. A route names its limit in its `config`. */
export const limits = {
  authorize: {
    perMinute: 10,
    variable: {
      name: 'OAUTH2_RATE_LIMIT_AUTHORIZE',
      where:
        'at /oauth/authorize from one IP address, and as many, counted apart, for forms that send a mail and downloads of one’s own data',
    },
  },
  costly: {
    meaning: 'forms that send a mail, and downloads of one’s own data',
    perMinute: 10,
    variable: { name: 'OAUTH2_RATE_LIMIT_AUTHORIZE' },
  },
  token: {
    perMinute: 20,
    variable: { name: 'OAUTH2_RATE_LIMIT_TOKEN', where: 'at /oauth/token by one client' },
  },
  pushed_request: {
    meaning: 'pushed authorization requests of one client',
    perMinute: 20,
    variable: { name: 'OAUTH2_RATE_LIMIT_TOKEN' },
  },
  introspect: {
    perMinute: 100,
    variable: { name: 'OAUTH2_RATE_LIMIT_INTROSPECT', where: 'at /oauth/introspect by one client' },
  },
  // Each may ask the server of a connection's provider, and leaves a row.
  connection_login: {
    meaning: 'logins through connections that begin',
    perMinute: 30,
  },
  // A provider ends the logins of all its users from one address.
  upstream_logout: {
    meaning: 'logout tokens of providers of connections',
    perMinute: 1_000,
  },
  // Each request of an import has hundreds of users.
  import: { perMinute: 1_200 },
  admin: {
    perMinute: 1_000,
    variable: {
      name: 'OAUTH2_RATE_LIMIT_ADMIN',
      where:
        'by one administrator, in the console and at /admin, and for the files of the console and the documentation from one IP address',
    },
  },
  other: {
    perMinute: 100,
    variable: { name: 'OAUTH2_RATE_LIMIT_OTHER', where: 'at all other paths from one IP address' },
  },
  failed_authentication: {
    meaning: 'an address with too many failed client authentications',
    perMinute: 100,
  },
} as const satisfies Record<string, LimitDefinition>

/** The name of a limit, which is the bucket that its requests are counted in. */
export type Bucket = keyof typeof limits

/** The names of all limits. */
export const buckets = Object.keys(limits) as Bucket[]

/** The name of a limit's variable. */
export type LimitVariable = Extract<(typeof limits)[Bucket], { variable: object }>['variable']['name']
