/** A way to get a token at the token endpoint (RFC 6749 section 1.3), as far as more than one process must know it. */
type GrantDefinition = {
  /** What a client does by it, for people who choose its grants. */
  readonly meaning: string
  /** Its own parameters at the token endpoint, each with a description. */
  readonly parameters: Readonly<Record<string, string>>
  /** Whose the tokens are that begin with it; `continued`: it only goes on with what another grant began. */
  readonly tokensOf: 'client' | 'user' | 'continued'
  /** Whether it begins at the authorization endpoint, so that the client needs a redirect URI. */
  readonly redirects: boolean
  /** Whether the client must have a secret. */
  readonly needsSecret: boolean
  /** What switches it on; absent: it is always on. */
  readonly switch?: { readonly variable: string; readonly description: string }
}

const scope = 'Space-separated. By default all that the client is registered for.'

/** Every grant, by the value of grant_type. To add one, write its entry here and its module in services/token/src/grants. */
export const grants = {
  authorization_code: {
    meaning: 'users log in to it',
    parameters: {
      code: 'The code.',
      code_verifier: 'RFC 7636.',
      redirect_uri: 'If it is sent, the one of the authorization request.',
    },
    tokensOf: 'user',
    redirects: true,
    needsSecret: false,
  },
  client_credentials: {
    meaning: 'it acts for itself',
    parameters: { scope },
    tokensOf: 'client',
    redirects: false,
    needsSecret: true,
  },
  refresh_token: {
    meaning: 'users stay logged in, where this server allows that',
    parameters: {
      refresh_token: 'The refresh token.',
      scope: 'Space-separated. By default all that was granted.',
    },
    tokensOf: 'continued',
    redirects: false,
    needsSecret: false,
    switch: {
      variable: 'OAUTH2_REFRESH_TOKEN_ENABLED',
      description: 'Whether refresh tokens are given and taken. Discovery follows.',
    },
  },
  password: {
    meaning: 'it asks users for their passwords, where this server allows that',
    parameters: { username: 'The user name.', password: 'The password.', scope },
    tokensOf: 'user',
    redirects: false,
    needsSecret: true,
    switch: {
      variable: 'OAUTH2_PASSWORD_GRANT_ENABLED',
      description:
        'Whether clients may send users’ names and passwords (the grant `password`, for old clients only). Discovery follows.',
    },
  },
} as const satisfies Record<string, GrantDefinition>

/** The name of a grant: a value of grant_type. */
export type GrantType = keyof typeof grants

/** The grant that is asked for by the thousand: its requests share their calls and statements. */
export const batchedGrant = 'client_credentials' satisfies GrantType

/** The names of all grants. */
export const grantTypes = Object.keys(grants) as GrantType[]

/** The name of a variable that switches a grant on. */
export type GrantSwitch = Extract<(typeof grants)[GrantType], { switch: object }>['switch']['variable']

/** The variables that switch grants on, each with its description. */
export const grantSwitches: readonly { variable: string; description: string }[] =
  Object.values<GrantDefinition>(grants).flatMap((grant) => grant.switch ?? [])

/** Whether a text is the name of a grant. */
export function isGrantType(text: unknown): text is GrantType {
  return typeof text === 'string' && Object.hasOwn(grants, text)
}

/** The grants with this property, for those who ask the list. */
export function grantsWhere(matches: (grant: GrantDefinition) => boolean): GrantType[] {
  return grantTypes.filter((grantType) => matches(grants[grantType]))
}

/**
 * The grants of an installation, as discovery lists them.
 * @param config whether each switched grant is on
 */
export function enabledGrantTypes(config: Readonly<Record<GrantSwitch, boolean>>): GrantType[] {
  const switches: Readonly<Record<string, boolean>> = config
  return grantsWhere((grant) => grant.switch === undefined || switches[grant.switch.variable] === true)
}
