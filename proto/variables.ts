import { type TBoolean, Type } from 'typebox'
import { type GrantSwitch, grantSwitches } from './grants.ts'

// The variables that several services read alike.

/** Where the system is found from outside: the issuer, and the base of every absolute URL. */
export const publicBaseUrlVariable = {
  OAUTH2_SERVER_PUBLIC_BASE_URL: Type.String({
    pattern: '^https?://[^\\s/?#]+$',
    rule: 'an http:// or https:// URL without path, query, fragment and slash at the end',
    defaultText: 'http://localhost:8080 by the local launcher, with its port',
    description: 'The issuer, and the base of every absolute URL. Always wins over Host and X-Forwarded-*.',
  }),
}

/** The scopes that the server knows (RFC 6749 section 3.3). */
export const scopesSupportedVariable = {
  OAUTH2_SCOPES_SUPPORTED: Type.String({
    default: 'read write profile email',
    pattern: '^[!#-\\[\\]-~]+( [!#-\\[\\]-~]+)*$',
    rule: 'words with one space between two',
    description: 'The scopes that discovery shows and that an open registration may ask for.',
  }),
}

/** The grants that are off until they are switched on. */
export const grantSwitchVariables = Object.fromEntries(
  grantSwitches.map(({ variable, description }) => [
    variable,
    Type.Boolean({ default: false, rule: 'true or false', description }),
  ]),
) as Record<GrantSwitch, TBoolean>

/** Whether there are clients without a secret. */
export const publicClientsVariable = {
  OAUTH2_PUBLIC_CLIENTS_ENABLED: Type.Boolean({
    default: false,
    rule: 'true or false',
    description:
      'Whether clients that cannot keep a secret may register and use `token_endpoint_auth_method` `none`: single-page and native apps.',
  }),
}
