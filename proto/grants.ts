/** A grant (RFC 6749 section 1.3), with everything about it that several processes need. */
export type GrantDefinition = {
  /** The use of the grant by a client, in words for people who choose a client's grants. */
  readonly meaning: string
  /** Its parameters at the token endpoint, each with a description. */
  readonly parameters: Readonly<Record<string, string>>
  /** Whom its tokens belong to; `continued` if it continues another grant. */
  readonly tokensOf: 'client' | 'user' | 'continued'
  /** Whether it begins at the authorization endpoint, and so needs a redirect URI. */
  readonly redirects: boolean
  /** Whether the client must be confidential: prove who it is, by whichever method. */
  readonly confidential: boolean
  /** Whether its requests are so many, and so quick, that they share calls and statements. Every other one has a call of its own. */
  readonly batched: boolean
  /** Whether a request may be made again when its answer was lost: it leaves at most a token that nobody knows, and uses nothing up. */
  readonly repeatable: boolean
  /** The field that switches it on for a client in an export of Keycloak. */
  readonly keycloak?: string
  /** The variable that switches it on; absent if it is always on. */
  readonly switch?: { readonly variable: string; readonly description: string }
}

const scope = 'Space-separated; by default the whole scope of the client.'
const ofGrant = 'Optional; must be the organization of the grant, by its id or its slug.'

/** The variables that switch parameters on, whatever the grant. */
export const parameterSwitches = { organization: 'OAUTH2_ORGANIZATIONS_ENABLED' } as const

/** Every grant, by the value of grant_type. To add one, write its entry here and its module in services/token/src/grants. */
export const grants = {
  authorization_code: {
    meaning: 'users log in to the client',
    parameters: {
      code: 'The authorization code.',
      code_verifier: 'The code verifier (RFC 7636).',
      redirect_uri: 'Optional; must be the one of the authorization request.',
      organization: ofGrant,
    },
    tokensOf: 'user',
    redirects: true,
    confidential: false,
    batched: true,
    repeatable: false,
    keycloak: 'standardFlowEnabled',
  },
  client_credentials: {
    meaning: 'the client acts for itself',
    parameters: {
      scope,
      organization:
        'The id or the slug of the organization that owns the client. Without it the token is of that organization, too.',
    },
    tokensOf: 'client',
    redirects: false,
    confidential: true,
    batched: true,
    repeatable: true,
    keycloak: 'serviceAccountsEnabled',
  },
  refresh_token: {
    meaning: 'users stay logged in, if this server allows it',
    parameters: {
      refresh_token: 'The refresh token.',
      scope: 'Space-separated; by default the whole scope of the grant.',
      organization: ofGrant,
    },
    tokensOf: 'continued',
    redirects: false,
    confidential: false,
    batched: true,
    repeatable: false,
    switch: {
      variable: 'OAUTH2_REFRESH_TOKEN_ENABLED',
      description: 'Whether refresh tokens are issued and accepted. Discovery lists the grant accordingly.',
    },
  },
  password: {
    meaning: 'the client asks users for their passwords, if this server allows it',
    parameters: { username: 'The user name.', password: 'The password.', scope },
    tokensOf: 'user',
    redirects: false,
    confidential: true,
    batched: false,
    repeatable: false,
    keycloak: 'directAccessGrantsEnabled',
    switch: {
      variable: 'OAUTH2_PASSWORD_GRANT_ENABLED',
      description:
        'Whether clients may send users’ names and passwords (the grant `password`, only for legacy clients). Discovery lists the grant accordingly.',
    },
  },
} as const satisfies Record<string, GrantDefinition>

/** The name of a grant: a value of grant_type. */
export type GrantType = keyof typeof grants

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

/** The names of the grants with a property. */
export function grantsWhere(matches: (grant: GrantDefinition) => boolean): GrantType[] {
  return grantTypes.filter((grantType) => matches(grants[grantType]))
}

/**
 * The grants of an installation, as discovery lists them.
 * @param config whether each grant with a switch is on
 */
export function enabledGrantTypes(config: Readonly<Record<GrantSwitch, boolean>>): GrantType[] {
  const switches: Readonly<Record<string, boolean>> = config
  return grantsWhere((grant) => grant.switch === undefined || switches[grant.switch.variable] === true)
}
