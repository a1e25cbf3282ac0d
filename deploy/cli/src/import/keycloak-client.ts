import type { ImportedClient } from '@gatehouse/admin-api/generated/openapi'
import { clientFieldEntries } from '@gatehouse/proto/client-metadata'
import { grants, grantsWhere } from '@gatehouse/proto/grants'
import type { Prepared } from './prepared.ts'

type KeycloakClient = Readonly<Record<string, unknown>>

/** Clients that every realm has, for Keycloak's own pages. */
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
  'client-secret': 'client_secret_basic',
  'client-jwt': 'private_key_jwt',
  'client-secret-jwt': 'client_secret_jwt',
  'client-x509': 'tls_client_auth',
}

/** Turns a client of Keycloak's export into one for the API. What Gatehouse has no place for is left out. */
export function keycloakClient(value: unknown): Prepared<ImportedClient> {
  const client: KeycloakClient = Object(value)
  const name = textOf(client.clientId) ?? ''
  const reason = whySkipped(client, name)
  if (reason !== undefined) return { name, outcome: 'skipped', reason }
  const redirectUris = urisOf(client.redirectUris, client.rootUrl)
  const secret = textOf(client.secret)
  const isMasked = secret !== undefined && /^\*+$/.test(secret)
  const isPublic = client.publicClient === true
  const item: ImportedClient = {
    client_id: name,
    ...(secret !== undefined && !isMasked && !isPublic && { client_secret: secret }),
    ...nameOf(client.name),
    redirect_uris: redirectUris.exact,
    grant_types: grantsOf(client),
    scope: ['openid', ...textsOf(client.defaultClientScopes), ...textsOf(client.optionalClientScopes)].join(
      ' ',
    ),
    token_endpoint_auth_method: methodOf(client) as NonNullable<ImportedClient['token_endpoint_auth_method']>,
    first_party: client.consentRequired !== true,
    ...(client.enabled === false && { disabled: true }),
    ...metadataOf(client, redirectUris.exact),
  }
  const wildcards = redirectUris.wildcards.join(', ')
  const notes = [
    ...(wildcards ? [`Left out redirect URIs with a wildcard, which must be exact here: ${wildcards}.`] : []),
    ...(isMasked ? ['The export has asterisks instead of its secret.'] : []),
  ]
  return { name, item, note: notes.join(' ') }
}

function whySkipped(client: KeycloakClient, name: string): string | undefined {
  if (builtIn.has(name) || name.endsWith('-realm')) return 'A client of Keycloak’s own.'
  if (client.protocol !== undefined && client.protocol !== 'openid-connect')
    return 'Not a client of OAuth 2.0.'
  if (client.bearerOnly === true) return 'A resource server, not a client: see gatehouse resources add.'
  return undefined
}

function methodOf({ publicClient, clientAuthenticatorType: type }: KeycloakClient): string {
  if (publicClient === true) return 'none'
  const name = textOf(type) ?? 'client-secret'
  return methods[name] ?? name
}

/** The grants that are on. The API leaves out those that it does not know, and says so. */
function grantsOf(client: KeycloakClient): string[] {
  const attributes: KeycloakClient = Object(client.attributes)
  const isOn = (field: string | undefined) =>
    field !== undefined && (client[field] === true || (client[field] === undefined && field === onByDefault))
  const own = grantsWhere(
    ({ keycloak, needsSecret }) => isOn(keycloak) && !(needsSecret && client.publicClient === true),
  )
  const hasUsers = own.some((grant) => grants[grant].tokensOf === 'user')
  const continues = hasUsers && attributes['use.refresh.tokens'] !== 'false'
  return [
    ...own,
    ...(continues ? grantsWhere(({ tokensOf }) => tokensOf === 'continued') : []),
    ...(client.implicitFlowEnabled === true ? ['implicit'] : []),
    ...(attributes['oauth2.device.authorization.grant.enabled'] === 'true' ? [deviceGrant] : []),
  ]
}

/** The fields of RFC 7591 that Keycloak has as attributes. The API leaves out invalid ones, and says so. */
function metadataOf(client: KeycloakClient, redirectUris: string[]): Partial<ImportedClient> {
  const attributes: KeycloakClient = Object(client.attributes)
  const found = clientFieldEntries.flatMap(([name, { keycloak, kind }]) => {
    const text = keycloak && textOf(attributes[keycloak])
    // All attributes are texts.
    return text ? [[name, kind === 'integer' ? Number(text) : text]] : []
  })
  const afterLogout = textOf(attributes['post.logout.redirect.uris'])
  const afterLogoutUris =
    afterLogout === '+' ? redirectUris : urisOf(afterLogout?.split('##'), client.rootUrl).exact
  const [home] = urisOf([client.baseUrl], client.rootUrl).exact
  return {
    ...Object.fromEntries(found),
    ...(home !== undefined && { client_uri: home }),
    ...(afterLogoutUris.length > 0 && { post_logout_redirect_uris: afterLogoutUris }),
  }
}

/** Keycloak's own names are keys of translations, such as ${client_account}. */
function nameOf(name: unknown): { client_name?: string } {
  const text = textOf(name)?.trim()
  return text && !text.startsWith('${') ? { client_name: text } : {}
}

/** Addresses, each made absolute by the client's root URL; those with a wildcard apart. */
function urisOf(values: unknown, rootUrl: unknown): { exact: string[]; wildcards: string[] } {
  const root = textOf(rootUrl)
  const absolute = textsOf(values).flatMap((uri) => {
    if (!uri.startsWith('/')) return [uri]
    return root !== undefined && URL.canParse(root) ? [root.replace(/\/$/, '') + uri] : []
  })
  return {
    exact: absolute.filter((uri) => /^[a-z][a-z\d+.-]*:/i.test(uri) && !uri.includes('*')),
    wildcards: absolute.filter((uri) => uri.includes('*')),
  }
}

function textsOf(values: unknown): string[] {
  return (Array.isArray(values) ? values : []).flatMap((value) => textOf(value) ?? [])
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
