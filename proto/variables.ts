import { type TBoolean, Type } from '@gatehouse/proto/typebox'
import { keyPairAlgorithms, signingAlgorithms } from './algorithms.ts'
import { pushedRequestModes } from './authorization/pushed-requests.ts'
import { authenticationMethods, isPublicMethod } from './client-authentication.ts'
import { type GrantSwitch, grantSwitches } from './grants.ts'
import { defaultsByProfile, profileNames, profileVariableName } from './profiles.ts'
import { canonicalOrigin, plainUrl } from './url-rules.ts'

// Variables that several services read in the same way.

/** The system's address from outside: the issuer, and the base of every absolute URL. */
export const publicBaseUrlVariable = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: Type.String({
    pattern: '^https?://[^\\s/?#@\\\\]+$',
    rule: 'an http:// or https:// URL without path, query, fragment, user name and slash at the end',
    ...canonicalOrigin('OAUTH2_SERVER_PUBLIC_BASE_URL'),
    defaultText: 'http://localhost:8080 with the local launcher, with its port',
    description: 'The issuer, and the base of every absolute URL. Host and X-Forwarded-* never replace it.',
  }),
}

/** The profile: a set of defaults for other variables. */
export const profileVariable = {
  [profileVariableName]: Type.Enum([...profileNames], {
    default: 'interface',
    rule: `one of ${profileNames.join(', ')}`,
    description:
      'A set of defaults for other variables: plain OAuth 2.0 (interface), OpenID Connect (openid), or OpenID Connect for clients of the Model Context Protocol as well (mcp). See docs/reference/profiles.md.',
  }),
}

/** The scopes that the server knows (RFC 6749 section 3.3). */
export const scopesSupportedVariable = {
  OAUTH2_SCOPES_SUPPORTED: Type.String({
    ...defaultsByProfile('OAUTH2_SCOPES_SUPPORTED'),
    pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
    rule: 'words with one space between two',
    description: 'The scopes that discovery lists and that a client may register for itself.',
  }),
}

/** The variables that switch on the optional grants. */
export const grantSwitchVariables = Object.fromEntries(
  grantSwitches.map(({ variable, description }) => [
    variable,
    Type.Boolean({ ...switchDefaults(variable), rule: 'true or false', description }),
  ]),
) as Record<GrantSwitch, TBoolean>

function switchDefaults(variable: string) {
  return variable === 'OAUTH2_REFRESH_TOKEN_ENABLED' ? defaultsByProfile(variable) : { default: false }
}

/** Whether clients without a secret may exist. */
export const publicClientsVariable = {
  OAUTH2_PUBLIC_CLIENTS_ENABLED: Type.Boolean({
    ...defaultsByProfile('OAUTH2_PUBLIC_CLIENTS_ENABLED'),
    rule: 'true or false',
    description:
      'Whether clients that cannot keep a secret, such as single-page and native apps, may register with the `token_endpoint_auth_method` `none`.',
  }),
}

const provingMethods = authenticationMethods.filter((method) => !isPublicMethod(method))

/** The methods by which clients may prove who they are. */
export const clientAuthMethodsVariable = {
  OAUTH2_CLIENT_AUTH_METHODS: Type.String({
    ...defaultsByProfile('OAUTH2_CLIENT_AUTH_METHODS'),
    pattern: `^(${provingMethods.join('|')})( (${provingMethods.join('|')}))*$`,
    rule: `one or more of ${provingMethods.join(', ')}, with one space between two`,
    description:
      'The methods by which clients may authenticate (`token_endpoint_auth_method`). A client that was registered with another one cannot authenticate. `none` is switched by OAUTH2_PUBLIC_CLIENTS_ENABLED.',
  }),
}

/** Whether clients may or must push their authorization requests. */
export const pushedRequestsVariable = {
  OAUTH2_PUSHED_AUTHORIZATION_REQUESTS: Type.Enum([...pushedRequestModes], {
    ...defaultsByProfile('OAUTH2_PUSHED_AUTHORIZATION_REQUESTS'),
    rule: `one of ${pushedRequestModes.join(', ')}`,
    description:
      'Whether clients may (`on`) or must (`required`) send their authorization requests to /oauth/par first (RFC 9126). See docs/apps/pushed-requests.md.',
  }),
}

/** Whether the server is an OpenID provider. */
export const openidVariable = {
  OAUTH2_OPENID_ENABLED: Type.Boolean({
    ...defaultsByProfile('OAUTH2_OPENID_ENABLED'),
    rule: 'true or false',
    description:
      'Whether the server is an OpenID provider: ID tokens, /oauth/userinfo, /oauth/logout and published keys. See docs/apps/openid.md.',
  }),
}

/** Whether groups, roles and organizations count. */
export const organizationsVariable = {
  OAUTH2_ORGANIZATIONS_ENABLED: Type.Boolean({
    ...defaultsByProfile('OAUTH2_ORGANIZATIONS_ENABLED'),
    rule: 'true or false',
    description:
      'Whether groups, roles and organizations count: the scopes `groups`, `roles` and `organization`, their claims, resource servers whose scopes roles give, and the parameter `organization`. Administrators may set them up either way.',
  }),
}

/** The variable that says who may register clients. */
export const registrationVariable = {
  OAUTH2_REGISTRATION: Type.Enum(['open', 'token', 'closed'], {
    ...defaultsByProfile('OAUTH2_REGISTRATION'),
    rule: 'one of open, token, closed',
    description:
      'Who may register a client: anybody (open), callers with OAUTH2_REGISTRATION_TOKEN (token), or nobody (closed).',
  }),
}

const keyPairAlgorithm = keyPairAlgorithms.join('|')

/** The algorithms that sign tokens. */
export const algorithmVariables = {
  OAUTH2_ACCESS_TOKEN_ALGORITHM: Type.Enum([...signingAlgorithms], {
    ...defaultsByProfile('OAUTH2_ACCESS_TOKEN_ALGORITHM'),
    rule: `one of ${signingAlgorithms.join(', ')}`,
    description:
      'The algorithm that signs access tokens. HS256 signs with the shared secret; the keys of all others are published, so that resource servers can verify tokens. See docs/operate/keys.md.',
  }),
  OAUTH2_ID_TOKEN_ALGORITHMS: Type.String({
    default: 'RS256 ES256 PS256 EdDSA',
    // RS256 is in it, because OpenID Connect Discovery 1.0 section 3 demands it.
    pattern: `^(?=.*\\bRS256\\b)(${keyPairAlgorithm})( (${keyPairAlgorithm}))*$`,
    rule: `algorithms of ${keyPairAlgorithms.join(', ')}, with one space between two, RS256 among them`,
    description: 'The algorithms that sign ID tokens, when OAUTH2_OPENID_ENABLED is true.',
  }),
}

/** Whether clients may describe themselves with a document at their client_id. */
export const clientMetadataDocumentsVariable = {
  OAUTH2_CLIENT_METADATA_DOCUMENTS: Type.Boolean({
    ...defaultsByProfile('OAUTH2_CLIENT_METADATA_DOCUMENTS'),
    rule: 'true or false',
    description:
      'Whether a client_id may be the https:// address of a client ID metadata document, so that clients need not register. See docs/apps/client-id-documents.md.',
  }),
}

/** Whether clients may ask users for more scope than they registered. */
export const scopeStepUpVariable = {
  OAUTH2_SCOPE_STEP_UP_ENABLED: Type.Boolean({
    ...defaultsByProfile('OAUTH2_SCOPE_STEP_UP_ENABLED'),
    rule: 'true or false',
    description:
      'Whether a client that registered itself may ask a user for more scope than it registered, if it could have registered that scope too and OAUTH2_REGISTRATION is open. See docs/apps/registration.md.',
  }),
}

/** Whether clients may name the resource servers that they want tokens for. */
export const resourceIndicatorsVariable = {
  OAUTH2_RESOURCE_INDICATORS: Type.Enum(['off', 'registered'], {
    ...defaultsByProfile('OAUTH2_RESOURCE_INDICATORS'),
    rule: 'one of off, registered',
    description:
      'Whether clients may ask for tokens for one of the resource servers that administrators have created (`resource`, RFC 8707): registered, or off, where the parameter is ignored. See docs/apps/resources.md.',
  }),
}

function brandAddress(name: string, description: string) {
  return Type.Optional(
    Type.String({
      // The host is plain, because it gets into a Content-Security-Policy.
      pattern: '^https://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[^\\s"\'<>\\\\]*)?$',
      maxLength: 2_000,
      rule: 'an https:// URL',
      defaultText: 'none',
      description,
      ...plainUrl(name),
    }),
  )
}

/** How the server looks to people: on its pages, and in its mails. */
export const brandVariables = {
  OAUTH2_BRAND_NAME: Type.String({
    default: 'Gatehouse',
    pattern: '^[^<>"\\\\]{1,60}$',
    rule: 'a text of 1 to 60 characters, without quotes, angle brackets and backslashes',
    description: 'The name of the server for its users, on pages and in mails. See docs/people/branding.md.',
  }),
  OAUTH2_BRAND_LOGO_URL: brandAddress(
    'OAUTH2_BRAND_LOGO_URL',
    'The address of a picture that stands for the name. Browsers and mail programs load it from there.',
  ),
  OAUTH2_BRAND_COLOR: Type.Optional(
    Type.String({
      pattern: '^#[0-9A-Fa-f]{6}$',
      rule: 'a colour such as #0b5cad',
      defaultText: 'blue',
      description:
        'The colour of buttons and links. Text on it and beside it stays readable, whatever it is.',
    }),
  ),
  OAUTH2_BRAND_TERMS_URL: brandAddress(
    'OAUTH2_BRAND_TERMS_URL',
    'The terms of service, linked below pages and mails.',
  ),
  OAUTH2_BRAND_PRIVACY_URL: brandAddress(
    'OAUTH2_BRAND_PRIVACY_URL',
    'The privacy policy, linked below pages and mails.',
  ),
  OAUTH2_BRAND_SUPPORT_URL: brandAddress(
    'OAUTH2_BRAND_SUPPORT_URL',
    'Where users get help, linked below pages and mails.',
  ),
}

/** For how long a kind of record is kept. @param kept what it is, @param byDefault and for how long without the variable, in words */
const daysVariable = (kept: string, byDefault: string) =>
  Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 36_500,
    rule: 'a whole number of days from 0 to 36500',
    description: `For how many days ${kept}; 0 for the default, which is ${byDefault}. See docs/people/people.md.`,
  })

/** For how long the audit log is kept. */
export const auditLogDaysVariable = {
  OAUTH2_AUDIT_LOG_DAYS: daysVariable('entries of the audit log are kept', 'for ever'),
}

/** For how long logins and failed client authentications are kept. */
export const loginHistoryDaysVariable = {
  OAUTH2_LOGIN_HISTORY_DAYS: daysVariable('logins and failed client authentications are kept', '30 days'),
}

/** For how long mails are kept. */
export const mailHistoryDaysVariable = {
  OAUTH2_MAIL_HISTORY_DAYS: daysVariable('mails are kept after they were sent or given up', '30 days'),
}
