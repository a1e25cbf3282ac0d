import { type TBoolean, Type } from 'typebox'
import { type GrantSwitch, grantSwitches } from './grants.ts'

// Variables that several services read in the same way.

/** The system's address from outside: the issuer, and the base of every absolute URL. */
export const publicBaseUrlVariable = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: Type.String({
    pattern: '^https?://[^\\s/?#]+$',
    rule: 'an http:// or https:// URL without path, query, fragment and slash at the end',
    defaultText: 'http://localhost:8080 with the local launcher, with its port',
    description: 'The issuer, and the base of every absolute URL. Host and X-Forwarded-* never replace it.',
  }),
}

/** The scopes that the server knows (RFC 6749 section 3.3). */
export const scopesSupportedVariable = {
  OAUTH2_SCOPES_SUPPORTED: Type.String({
    default: 'read write profile email',
    pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
    rule: 'words with one space between two',
    description: 'The scopes that discovery lists and that a client may register for itself.',
  }),
}

/** The variables that switch on the optional grants. */
export const grantSwitchVariables = Object.fromEntries(
  grantSwitches.map(({ variable, description }) => [
    variable,
    Type.Boolean({ default: false, rule: 'true or false', description }),
  ]),
) as Record<GrantSwitch, TBoolean>

/** Whether clients without a secret may exist. */
export const publicClientsVariable = {
  OAUTH2_PUBLIC_CLIENTS_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether clients that cannot keep a secret, such as single-page and native apps, may register with the `token_endpoint_auth_method` `none`.',
  }),
}
