/**
 * The fields of a connection to another identity provider, by the API's names. The admin API, its pages, the pages of organizations and the
 * command line take their words from here; the identity service checks the values.
 */
export const connectionFields = {
  name: { label: 'Name', description: 'What people read on the button of the login page.' },
  kind: {
    label: 'Kind',
    description: 'How Gatehouse talks to the provider. It stays as it is.',
  },
  organization: {
    label: 'Organization',
    description:
      'The organization that the connection belongs to. A login by it counts for that organization alone. Without one it belongs to the instance, and a login by it counts like a login with a password.',
  },
  issuer: {
    label: 'Issuer',
    description:
      'The address that identifies the provider, as its metadata say it. The metadata are read from below it. With another issuer, logins that came by it end, and the links of people lead to nobody until the former one is back.',
  },
  client_id: { label: 'Client id', description: 'The id of Gatehouse at the provider.' },
  client_authentication: {
    label: 'Authentication',
    description: 'How Gatehouse proves at the provider that it is this client.',
  },
  client_secret: {
    label: 'Client secret',
    description: 'The secret of Gatehouse at the provider. It is stored encrypted and never shown again.',
  },
  scope: {
    label: 'Scope',
    description: 'The scopes that are asked for, separated by spaces. `openid` is always among them.',
  },
  acr_values: {
    label: 'Required acr values',
    description: 'Sent with each login, separated by spaces. A login whose `acr` is none of them is refused.',
  },
  tenants: {
    label: 'Tenants',
    description:
      'The ids of the Microsoft tenants (`tid`) whose people may log in. Needed for an issuer that serves several tenants.',
  },
  trusts_second_factor: {
    label: 'Trust its second factor',
    description:
      'Whether a login counts as one with two factors when the provider says so in `amr`. Otherwise a login by it is one with one factor.',
  },
  new_users: {
    label: 'New users',
    description: 'Whether people who have no account get one at their first login.',
  },
  mapping: {
    label: 'Mapping',
    description:
      'What claims of the provider become. It is applied anew at each login: what it gave before and no longer gives is taken away.',
  },
  domains: {
    label: 'Domains',
    description:
      'People with an address in one of these domains are led to the connection. Of an organization, only domains count that it has proven.',
  },
  on_login_page: {
    label: 'On the login page',
    description:
      'Whether the login page has a button for it; for a connection of an organization, where the app has named the organization.',
  },
  disabled: {
    label: 'Disabled',
    description:
      'Nobody logs in by a disabled connection. Disabling it ends the logins that came by it and what was granted after them; links stay.',
  },
} as const

/** The name of a field. */
export type ConnectionField = keyof typeof connectionFields

/** The kinds of connections. An issuer of its own makes the field needless. */
export const connectionKinds = {
  oidc: { title: 'OpenID Connect', ownIssuer: false },
  google: { title: 'Google', ownIssuer: true },
  microsoft: { title: 'Microsoft', ownIssuer: true },
  github: { title: 'GitHub', ownIssuer: true },
} as const satisfies Record<string, { title: string; ownIssuer: boolean }>

/** The name of a kind. */
export type ConnectionKind = keyof typeof connectionKinds

/** The ways in which Gatehouse authenticates at a provider. */
export const upstreamAuthentications = {
  client_secret: {
    title: 'Client secret',
    description: 'By client_secret_basic or client_secret_post, as the provider wants it.',
  },
  private_key_jwt: {
    title: 'Private key',
    description: 'By an assertion that a key of this connection signs. The provider reads the public key.',
  },
} as const satisfies Record<string, { title: string; description: string }>

/** The name of such a way. */
export type UpstreamAuthentication = keyof typeof upstreamAuthentications

/** Whether a connection creates users. */
export const newUsersRules = {
  never: { title: 'Never', description: 'Only people log in who have linked their account.' },
  verified_domain: {
    title: 'In verified domains',
    description:
      'For people with an address that the provider has verified, in a domain that the organization has proven.',
  },
  always: {
    title: 'Always',
    description: 'For everybody whom the provider authenticates. Only for connections of the instance.',
  },
} as const satisfies Record<string, { title: string; description: string }>

/** The name of such a rule. */
export type NewUsersRule = keyof typeof newUsersRules

/** The limits of connections. Lengths are in characters. */
export const connectionLimits = {
  name: 60,
  issuer: 500,
  clientId: 500,
  clientSecret: 2_000,
  scope: 500,
  acrValues: 500,
  tenants: 50,
  rules: 100,
  claim: 200,
  value: 500,
  domains: 50,
  /** How many connections there may be in all, and how many of one organization. */
  connections: 500,
  ofOrganization: 10,
} as const

/** A rule of a mapping, by the API's names: `to` is what the person gets. */
export type MappingRule = {
  /** The name of a claim, or a JSON Pointer (RFC 6901) into the claims. */
  claim: string
  /** The value that the claim must be, or have among its values; undefined for an attribute, which gets the value of the claim. */
  value?: string | undefined
  to: MappingTarget
}

/** The target of a rule. */
export type MappingTarget =
  /** An attribute of the membership; of the user for a connection of the instance. */
  | { attribute: string }
  /** The name of a group of the connection's organization or, without one, of the instance. */
  | { group: string }
  /** A role of a resource server, which organizations must be allowed to give if the connection is one's. */
  | { resource: string; role: string }

/** The claims that identify a person: no rule may read them, so that nobody takes them for something else. */
export const unmappableClaims: ReadonlySet<string> = new Set(['sub', 'iss', 'aud', 'nonce', 'exp', 'iat'])

/** The beginning of each id of a connection. */
export const connectionIdPrefix = 'con_'

const connectionId = /^con_[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/** Whether a text can be the id of a connection, as Gatehouse writes it. */
export function isConnectionId(text: string): boolean {
  return connectionId.test(text)
}

/**
 * The value of a claim in claims.
 * @param claim the name of a claim, or a JSON Pointer (RFC 6901) when it begins with a slash
 * @returns undefined when there is none
 */
export function claimAt(claims: Readonly<Record<string, unknown>>, claim: string): unknown {
  if (!claim.startsWith('/')) return Object.hasOwn(claims, claim) ? claims[claim] : undefined
  const steps = claim
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  let value: unknown = claims
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}
