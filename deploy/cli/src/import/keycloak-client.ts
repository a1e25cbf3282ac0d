import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import {
  type ClientAuthenticationDefinition,
  clientAuthenticationMethods,
  publicAuthenticationMethod,
} from '@gatehouse/proto/client-authentication'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grants, grantsWhere } from '@gatehouse/proto/grants'
import { webOriginsOf } from '@gatehouse/proto/web-origins'
import {
  type Findings,
  type Foreign,
  goThrough,
  isSet,
  noteOf,
  nothingFound,
  objectsOf,
  shown,
  textOf,
  textsOf,
} from './fields/fields.ts'
import { keycloakClientAttributes, keycloakClientFields } from './fields/keycloak-client-fields.ts'
import type { KeycloakRealm } from './keycloak-realm.ts'
import { sortOrigins } from './origins.ts'
import type { Prepared } from './prepared.ts'

/** Whether a client is one that every realm has, for Keycloak's own pages and administration. */
export const isOwnClient = (name: string): boolean => builtIn.has(name) || name.endsWith('-realm')

const builtIn = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
])

/** The one flow that a client has if the export does not say. */
const onByDefault = 'standardFlowEnabled'
const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The names of RFC 7591 for how clients authenticate. */
const methods: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries<ClientAuthenticationDefinition>(clientAuthenticationMethods).flatMap(
      ([name, { keycloak }]) => (keycloak === undefined ? [] : [[keycloak, name]]),
    ),
  ),
  'client-jwt': 'private_key_jwt',
  'client-secret-jwt': 'client_secret_jwt',
  'client-x509': 'tls_client_auth',
}

/** Turns a client of Keycloak's export into one for the API. Fields that Gatehouse has no place for are left out, and named. */
export function keycloakClient(value: unknown, realm?: KeycloakRealm): Prepared<ImportedClient> {
  const client: Foreign = Object(value)
  const name = textOf(client.clientId) ?? ''
  const reason = whySkipped(client, name)
  if (reason !== undefined) return { name, outcome: 'skipped', reason }
  if (grantsOf(client).length === 0) return { name, outcome: 'skipped', reason: 'All of its flows are off.' }
  const redirectUris = urisOf(client.redirectUris, client.rootUrl)
  const findings = findingsOf(client, redirectUris, realm)
  const item: ImportedClient = {
    client_id: name,
    ...secretOf(client, findings),
    ...nameOf(client.name, findings),
    redirect_uris: redirectUris.exact,
    grant_types: grantsOf(client),
    scope: ['openid', ...textsOf(client.defaultClientScopes), ...textsOf(client.optionalClientScopes)].join(
      ' ',
    ),
    token_endpoint_auth_method: methodOf(client) as NonNullable<ImportedClient['token_endpoint_auth_method']>,
    first_party: client.consentRequired !== true,
    ...metadataOf(client, redirectUris.exact, findings),
    ...allowedOriginsOf(client, redirectUris.exact),
    ...((client.enabled === false || findings.holds.length > 0) && { disabled: true }),
  }
  const { unneeded } = findings
  return { name, item, note: noteOf(findings), ...(unneeded.length > 0 && { unneeded }) }
}

/** Goes through all fields, attributes and mappers. */
function findingsOf(client: Foreign, uris: Uris, realm: KeycloakRealm | undefined): Findings {
  const findings = nothingFound()
  goThrough(client, keycloakClientFields, findings)
  goThrough(Object(client.attributes ?? {}), keycloakClientAttributes, findings, 'attributes.')
  const { notes, holds, unneeded } = findings
  // It is in the addresses that were relative to it.
  if (textOf(client.rootUrl)) unneeded.push('rootUrl')
  if (realm?.disabled) holds.push('The realm is disabled.')
  const wildcards = uris.wildcards.map(shown).join(', ')
  if (wildcards) notes.push(`Left out redirect URIs with a wildcard, which must be exact here: ${wildcards}.`)
  const relative = uris.relative.map(shown).join(', ')
  if (relative)
    notes.push(
      `Left out redirect URIs that are relative to an address which the file does not have: ${relative}.`,
    )
  const origins = namedOriginsOf(client).others.map(shown).join(', ')
  if (origins) notes.push(`webOrigins: left out what is no origin alone: ${origins}.`)
  for (const mapper of objectsOf(client.protocolMappers)) {
    const what = `protocolMappers ${shown(mapper.name ?? '')}`
    if (/pairwise/.test(String(mapper.protocolMapper)))
      holds.push(
        `${what}: its users had pairwise subjects: here their \`sub\` is another, so the app takes them for new users.`,
      )
    else notes.push(`${what}: what it puts into tokens is left out.`)
  }
  if (client.bearerOnly !== undefined && client.bearerOnly !== false)
    holds.push('bearerOnly: it could not get tokens.')
  return findings
}

/** Its origins besides `+`, which stands for those of its redirect URIs. */
const namedOriginsOf = (client: Foreign) =>
  sortOrigins(textsOf(client.webOrigins).filter((text) => text !== '+'))

/** The origins that are not those of its redirect URIs, which it gets by default. */
function allowedOriginsOf(client: Foreign, redirectUris: readonly string[]): Partial<ImportedClient> {
  const { origins } = namedOriginsOf(client)
  if (origins.length === 0) return {}
  const ofRedirects = textsOf(client.webOrigins).includes('+') ? webOriginsOf(redirectUris) : []
  return { allowed_origins: [...new Set([...ofRedirects, ...origins])] }
}

/** The secret that the client keeps, and what is to be said of one that it does not. */
function secretOf(client: Foreign, { notes }: Findings): { client_secret?: string } {
  const secret = textOf(client.secret)
  if (secret === undefined || client.publicClient === true) return {}
  if (/^\*+$/.test(secret)) {
    notes.push(
      'The export has asterisks instead of its secret: it is a partial one, and the client gets a new secret.',
    )
    return {}
  }
  const { 'client.secret.expiration.time': expiry }: Foreign = Object(client.attributes ?? {})
  if (isSet(expiry) && expiry !== '0' && expiry !== 0) {
    notes.push('attributes.client.secret.expiration.time: secrets do not expire here, so it gets a new one.')
    return {}
  }
  return { client_secret: secret }
}

function whySkipped(client: Foreign, name: string): string | undefined {
  if (isOwnClient(name)) return 'A client of Keycloak’s own.'
  if (client.protocol !== undefined && client.protocol !== 'openid-connect')
    return 'Not a client of OAuth 2.0.'
  if (client.bearerOnly === true) return 'A resource server, not a client: see gatehouse resources add.'
  return undefined
}

function methodOf({ publicClient, clientAuthenticatorType: type }: Foreign): string {
  if (publicClient === true) return publicAuthenticationMethod
  const name = textOf(type) ?? 'client-secret'
  return methods[name] ?? name
}

/** Keycloak takes any other text than `true`, in any case, for no. */
const isTrue = (attribute: unknown) => textOf(attribute)?.toLowerCase() === 'true'

/** The grants that are on. The API leaves out those that it does not know, and says so. */
function grantsOf(client: Foreign): string[] {
  const attributes: Foreign = Object(client.attributes)
  // Before version 2, a client could have the password grant and nothing else.
  const flows: Foreign =
    client.directGrantsOnly === true ? { [onByDefault]: false, directAccessGrantsEnabled: true } : client
  const isOn = (field: string | undefined) =>
    field !== undefined && (flows[field] === true || (flows[field] === undefined && field === onByDefault))
  const own = grantsWhere(
    ({ keycloak, confidential }) => isOn(keycloak) && !(confidential && client.publicClient === true),
  )
  const hasUsers = own.some((grant) => grants[grant].tokensOf === 'user')
  const refreshes = attributes['use.refresh.tokens']
  const continues = hasUsers && (!isSet(refreshes) || isTrue(refreshes))
  return [
    ...own,
    ...(continues ? grantsWhere(({ tokensOf }) => tokensOf === 'continued') : []),
    ...(client.implicitFlowEnabled === true ? ['implicit'] : []),
    ...(isTrue(attributes['oauth2.device.authorization.grant.enabled']) ? [deviceGrant] : []),
  ]
}

/** The fields of RFC 7591 that Keycloak has as attributes. The API leaves out invalid ones, and says so. */
function metadataOf(
  client: Foreign,
  redirectUris: string[],
  { notes, holds }: Findings,
): Partial<ImportedClient> {
  const attributes: Foreign = Object(client.attributes ?? {})
  const found = clientFieldEntries.flatMap(([name, field]) => {
    const text = field.keycloak && textOf(attributes[field.keycloak])
    if (!text) return []
    // All attributes are texts.
    const value = field.kind === 'integer' ? Number(text) : text
    if (field.kind === 'integer' && !(Number(value) >= field.minimum && Number(value) <= field.maximum)) {
      holds.push(
        `attributes.${field.keycloak}: ${name} must be from ${field.minimum} to ${field.maximum} here.`,
      )
      return []
    }
    return [[name, value]]
  })
  const afterLogout = textOf(attributes['post.logout.redirect.uris'])
  const given = urisOf(
    afterLogout?.split('##').filter((uri) => !/^[+-]$/.test(uri)),
    client.rootUrl,
  )
  const leftOut = [...given.wildcards, ...given.relative].map(shown).join(', ')
  if (leftOut)
    notes.push(`attributes.post.logout.redirect.uris: left out, since they must be exact here: ${leftOut}.`)
  const sameToo = afterLogout?.split('##').includes('+') ? redirectUris : []
  const afterLogoutUris = [...new Set([...sameToo, ...given.exact])]
  const home = urisOf([client.baseUrl], client.rootUrl)
  if (textOf(client.baseUrl) && home.exact.length === 0)
    notes.push('baseUrl: it is no address, and left out.')
  return {
    ...Object.fromEntries(found),
    ...(home.exact[0] !== undefined && { client_uri: home.exact[0] }),
    ...(afterLogoutUris.length > 0 && { post_logout_redirect_uris: afterLogoutUris }),
    ...(isTrue(attributes['backchannel.logout.session.required']) && {
      backchannel_logout_session_required: true,
    }),
  }
}

/** Keycloak's own names are keys of translations, such as ${client_account}. */
function nameOf(name: unknown, { notes }: Findings): { client_name?: string } {
  const text = textOf(name)?.trim()
  if (text?.startsWith('${'))
    notes.push(`name: ${shown(text)} is the key of a translation; it is called by its id.`)
  return text && !text.startsWith('${') ? { client_name: text } : {}
}

/** Addresses: exact ones, those with a wildcard, and those that are relative to an unknown one. */
type Uris = { exact: string[]; wildcards: string[]; relative: string[] }

/** Addresses, each made absolute by the client's root URL. */
function urisOf(values: unknown, rootUrl: unknown): Uris {
  const root = textOf(rootUrl)
  const absolute = textsOf(values).map((uri) =>
    uri.startsWith('/') && root !== undefined && URL.canParse(root) ? root.replace(/\/$/, '') + uri : uri,
  )
  const isAbsolute = (uri: string) => /^[a-z][a-z\d+.-]*:/i.test(uri)
  return {
    exact: absolute.filter((uri) => isAbsolute(uri) && !uri.includes('*')),
    wildcards: absolute.filter((uri) => uri.includes('*')),
    relative: absolute.filter((uri) => !isAbsolute(uri) && !uri.includes('*')),
  }
}
