import { type Foreign, isSet, objectsOf, shown, textOf } from './fields/fields.ts'

/** The settings of a realm that count for its users and clients. */
export type KeycloakRealm = {
  name: string
  /** Whether nobody could log in to it. */
  disabled: boolean
  /** Whether its users had to prove their e-mail address before they could log in. */
  verifyEmail: boolean
  /** Its identity providers, by alias. */
  providers: ReadonlyMap<string, BrokeredProvider>
  /** The names of its fields that are set. */
  fields: readonly string[]
}

/** An identity provider of Keycloak: the one of ours that it is, or why there is none. */
export type BrokeredProvider = { provider: 'google' | 'github' } | { fault: string }

/**
 * Finds out which provider an identity provider of Keycloak is. Its alias may be anything: it says nothing of what it is.
 * @param given a member of a realm's `identityProviders`
 */
export function brokeredProvider(given: Foreign): BrokeredProvider {
  const config: Foreign = Object(given.config ?? {})
  // Users could not log in with it, so they cannot here either.
  if (isSet(given.enabled) && given.enabled !== true) return { fault: 'it is disabled' }
  if ([given.linkOnly, config.linkOnly].some((value) => isSet(value) && value !== false && value !== 'false'))
    return { fault: 'nobody could log in with it (linkOnly)' }
  switch (given.providerId) {
    case 'google':
      return { provider: 'google' }
    case 'github':
      return ['baseUrl', 'apiUrl'].every((name) => isOfGithub(config[name]))
        ? { provider: 'github' }
        : { fault: 'it is a GitHub Enterprise Server of its own' }
    case 'oidc':
    case 'keycloak-oidc':
      return isGoogle(config) ? { provider: 'google' } : { fault: 'it is another provider of OpenID Connect' }
    case 'microsoft':
      return { fault: 'Keycloak does not keep the tenant of Microsoft’s accounts' }
    default:
      return { fault: `its kind is ${shown(given.providerId ?? 'unknown')}` }
  }
}

function isOfGithub(address: unknown): boolean {
  return !isSet(address) || /^https:\/\/(api\.)?github\.com\/?$/.test(textOf(address) ?? '')
}

/** Whether a provider of OpenID Connect is Google: by its issuer, and by the addresses to which it goes. */
function isGoogle({ issuer, authorizationUrl, tokenUrl }: Foreign): boolean {
  return (
    /^(https:\/\/)?accounts\.google\.com\/?$/.test(String(issuer)) &&
    String(authorizationUrl).startsWith('https://accounts.google.com/') &&
    String(tokenUrl).startsWith('https://oauth2.googleapis.com/')
  )
}

/** A realm of what is in its export besides users and clients. A restriction that cannot be read counts. */
export function keycloakRealm(export_: Foreign, fields: readonly string[]): KeycloakRealm {
  const providers = objectsOf(export_.identityProviders).map((given): [string, BrokeredProvider] => [
    String(given.alias),
    brokeredProvider(given),
  ])
  return {
    name: String(export_.realm ?? ''),
    disabled: isSet(export_.enabled) && export_.enabled !== true,
    verifyEmail: isSet(export_.verifyEmail) && export_.verifyEmail !== false,
    providers: new Map(providers),
    fields,
  }
}

const rolesImport = 'see gatehouse roles import'

/** Fields of a realm that restrict its users or clients, with what is to be set here instead. */
const settings: Readonly<Record<string, string>> = {
  passwordPolicy: 'the rule for passwords',
  bruteForceProtected: 'the limits of failed logins',
  requiredActions: 'what new users must do',
  otpPolicyType: 'authenticator apps',
  groups: `groups, ${rolesImport}`,
  roles: `roles, ${rolesImport}`,
  identityProviders: 'social logins',
  authenticationFlows: 'steps of the login',
  components: 'user federation and keys',
  userFederationProviders: 'user federation',
  federatedUsers: 'users of a federation',
  clientScopes: 'scopes, see gatehouse resources add',
  organizations: 'organizations',
  smtpServer: 'mail',
}

/** The parts of a realm that are imported: their words, and the fields that have them. */
const parts = {
  users: { words: 'users', fields: ['users'] },
  clients: { words: 'clients', fields: ['clients'] },
  roles: {
    words: 'groups and roles, and those who have them,',
    fields: ['groups', 'roles', 'users', 'clients', 'defaultRole', 'defaultRoles', 'defaultGroups'],
  },
}

/**
 * The parts of a realm that are not imported, as a sentence that names each field; undefined for none.
 * @param imported the part that is imported
 */
export function realmNote({ name, fields }: KeycloakRealm, imported: keyof typeof parts): string | undefined {
  const rest = fields
    .filter((field) => ![...parts[imported].fields, 'realm', 'id'].includes(field))
    .map((field) => (settings[field] ? `${field} (${settings[field]})` : shown(field)))
  if (rest.length === 0) return undefined
  return `Of the realm ${shown(name)}, only its ${parts[imported].words} are imported. The following is not: set it here where you need it: ${rest.join(', ')}.`
}
