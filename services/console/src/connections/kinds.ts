import type { Connection } from '@gatehouse/admin-api/generated/openapi'

/** How Gatehouse talks to a provider. */
export type Kind = Connection['kind']

/** The kinds, by the names that people know. */
export const kindNames: Readonly<Record<Kind, string>> = {
  oidc: 'OpenID Connect',
  google: 'Google',
  microsoft: 'Microsoft',
  github: 'GitHub',
}

/** These kinds. */
export const kinds = Object.keys(kindNames) as Kind[]

/** The settings that a kind does not have, or that it decides by itself. */
export const withoutSettings: Readonly<Record<Kind, readonly string[]>> = {
  oidc: ['tenants'],
  google: ['issuer', 'client_authentication', 'scope', 'tenants'],
  microsoft: ['issuer', 'client_authentication', 'scope'],
  github: ['issuer', 'client_authentication', 'scope', 'tenants', 'acr_values'],
}

/** The rules for new users that a connection may have. @param ofOrganization whether it is an organization’s */
export function newUsersRules(ofOrganization: boolean): Connection['new_users'][] {
  return ofOrganization ? ['never', 'verified_domain'] : ['never', 'always']
}
