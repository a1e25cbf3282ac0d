/** The names of the profiles: sets of defaults for variables. */
export const profileNames = ['interface', 'openid', 'mcp'] as const

/** The name of a profile. */
export type Profile = (typeof profileNames)[number]

/** The variable that names the profile. */
export const profileVariableName = 'OAUTH2_PROFILE'

type Defaults = Readonly<Record<Profile, string | boolean>>

/**
 * The variables whose default depends on the profile. `interface` is plain OAuth 2.0 with tokens that resource servers
 * introspect; `openid` logs people in to the apps of one organization (OpenID Connect); `mcp` also lets in clients that
 * nobody registered, as the Model Context Protocol asks. An empty text means that the variable is not set.
 */
export const profileDefaults = {
  OAUTH2_OPENID_ENABLED: { interface: false, openid: true, mcp: true },
  OAUTH2_ORGANIZATIONS_ENABLED: { interface: false, openid: true, mcp: true },
  OAUTH2_ACCESS_TOKEN_ALGORITHM: { interface: 'HS256', openid: 'ES256', mcp: 'ES256' },
  OAUTH2_REFRESH_TOKEN_ENABLED: { interface: false, openid: true, mcp: true },
  OAUTH2_PUBLIC_CLIENTS_ENABLED: { interface: false, openid: true, mcp: true },
  OAUTH2_CLIENT_AUTH_METHODS: {
    interface: 'client_secret_basic client_secret_post',
    openid: 'client_secret_basic client_secret_post private_key_jwt',
    mcp: 'client_secret_basic client_secret_post private_key_jwt',
  },
  OAUTH2_SCOPES_SUPPORTED: {
    interface: 'read write profile email',
    openid: 'openid profile email offline_access read write',
    mcp: 'openid profile email offline_access read write',
  },
  OAUTH2_PUSHED_AUTHORIZATION_REQUESTS: { interface: 'off', openid: 'on', mcp: 'on' },
  OAUTH2_RESOURCE_INDICATORS: { interface: 'off', openid: 'registered', mcp: 'registered' },
  OAUTH2_SCOPE_STEP_UP_ENABLED: { interface: false, openid: false, mcp: true },
  OAUTH2_CLIENT_METADATA_DOCUMENTS: { interface: false, openid: false, mcp: true },
  OAUTH2_REGISTRATION: { interface: 'open', openid: 'closed', mcp: 'open' },
  OAUTH2_CORS_ORIGINS: { interface: '', openid: '', mcp: '*' },
} as const satisfies Record<string, Defaults>

/** The name of a variable whose default depends on the profile. */
export type ProfileVariable = keyof typeof profileDefaults

/**
 * The keywords of the schema of a variable whose default depends on the profile.
 * @param name the variable
 */
export function defaultsByProfile<Name extends ProfileVariable>(name: Name) {
  const byProfile = profileDefaults[name]
  return {
    ...(byProfile.interface === '' ? {} : { default: byProfile.interface }),
    defaultsBy: { variable: profileVariableName, values: byProfile },
  }
}

/** The behaviour of the server in a profile, beyond the defaults of variables. */
export const profileBehaviour = {
  /**
   * Errors of an authorization request go to the redirect URI once client and redirect URI are valid (RFC 6749 section
   * 4.1.2.1), for clients that an administrator made.
   */
  redirectsErrors: { interface: false, openid: true, mcp: true },
  /**
   * Registration replaces what the server does not support instead of refusing it (RFC 7591 section 3.2.1), and clients manage
   * their own registration (RFC 7592).
   */
  substitutesClientMetadata: { interface: false, openid: true, mcp: true },
  /** Clients may ask for the response mode form_post (OAuth 2.0 Form Post Response Mode). */
  formPost: { interface: false, openid: true, mcp: true },
  /** Pages of the origins of a client may call the endpoints that are for pages. */
  clientOrigins: { interface: false, openid: true, mcp: true },
  /** The documentation is served at /docs, and pages lead there. */
  documentation: { interface: false, openid: true, mcp: true },
  /** Redirect URIs may have a private-use scheme without a dot, such as `cursor:`. */
  bareRedirectSchemes: { interface: false, openid: false, mcp: true },
} as const satisfies Record<string, Readonly<Record<Profile, boolean>>>

/** Where an operation or a field of the API is: not everywhere. */
export type Presence = {
  /** The profiles that have it by default. */
  readonly profiles: readonly Profile[]
  /** The same for people. */
  readonly sentence: string
}

/**
 * The presence of what a variable switches on.
 * @param value the value that switches it on
 */
export function presentWith(variable: string, value: string | boolean = true): Presence {
  const defaults = (profileDefaults as Readonly<Record<string, Defaults>>)[variable]
  const profiles = profileNames.filter((profile) => defaults?.[profile] === value)
  const byDefault = profiles.length > 0 ? `, as by default in ${inWords(profiles)}` : ''
  return { profiles, sentence: `Only where \`${variable}\` is \`${value}\`${byDefault}.` }
}

/** The presence of what any of some words in the value of a variable switches on. */
export function presentWithWord(variable: ProfileVariable, ...words: readonly string[]): Presence {
  const defaults: Defaults = profileDefaults[variable]
  const profiles = profileNames.filter((profile) =>
    String(defaults[profile])
      .split(' ')
      .some((word) => words.includes(word)),
  )
  const named = words.map((word) => `\`${word}\``).join(' or ')
  const byDefault = profiles.length > 0 ? `, as by default in ${inWords(profiles)}` : ''
  return { profiles, sentence: `Only where \`${variable}\` has ${named}${byDefault}.` }
}

/** The presence of what the server does in some profiles. */
export function presentIn(behaviour: keyof typeof profileBehaviour): Presence {
  const profiles = profileNames.filter((profile) => profileBehaviour[behaviour][profile])
  return { profiles, sentence: `Only in ${inWords(profiles)}.` }
}

function inWords(profiles: readonly Profile[]): string {
  const names = profiles.map((name) => `\`${name}\``).join(' and ')
  return profiles.length === 1 ? `the profile ${names}` : `the profiles ${names}`
}
