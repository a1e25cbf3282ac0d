import type { Emit } from '@gatehouse/kit/events/emission'
import { defaultAuthenticationMethod, hasSecret } from '@gatehouse/proto/client-authentication'
import type { Client, ClientStore, NewClient } from '../clients/client.ts'
import { createClientSecret, type RandomBytes, secretDigestOf } from '../clients/client-secret.ts'
import {
  type AllowedScopes,
  checkAuthMethod,
  checkClientName,
  checkGrantsOfMethod,
  checkGrantTypes,
  checkRedirectUris,
  checkRedirectUrisOfGrants,
  checkScope,
  longestScope,
  openScopes,
} from '../clients/metadata.ts'
import { changeMetadata, type MetadataAuthor, type SentMetadata } from '../clients/metadata-document.ts'
import type { RedirectUriRules } from '../clients/redirect-uri.ts'
import { substituted, withRegistrationErrors } from './registration-substitution.ts'

/** The metadata with which a client registers (RFC 7591 section 2). */
export type RegistrationRequest = {
  clientName?: string | undefined
  redirectUris: readonly string[]
  /** Empty means authorization_code only. */
  grantTypes: readonly string[]
  /** Space-separated. */
  scope?: string | undefined
  tokenEndpointAuthMethod?: string | undefined
  /** Other fields of the metadata document. */
  metadata?: SentMetadata
}

/** The needs of creating a client. */
export type NewClientDeps = {
  /** Whether a client without a secret may register (token_endpoint_auth_method `none`). */
  publicClients: boolean
  /** Whether clients may register fields of OpenID Connect. */
  openid: boolean
  /** The scopes that the server supports. */
  scopesSupported: ReadonlySet<string>
  redirectUriRules: RedirectUriRules
  randomUuid(): string
  randomBytes: RandomBytes
}

/** The needs of registration. */
export type RegistrationDeps = NewClientDeps & {
  store: Pick<ClientStore, 'add'>
  /** Whether RFC 7591 and RFC 7592 hold in full: what is not supported is replaced, and the client manages itself. */
  full: boolean
  /** Whether anybody may register a client. */
  open: boolean
  /** The grants that are on. */
  grantTypes: readonly string[]
  /** The scopes of resource servers that a client may register for itself; none when resource indicators are off. */
  openResourceScopes(): Promise<string[]>
  emit: Emit
}

/** A client that registered itself. */
export type RegisteredClient = {
  client: Client
  /** Not stored, so it cannot be shown again. A public client has none. */
  clientSecret: string | undefined
  /** With it the client manages its registration (RFC 7592); not stored. Undefined where it cannot. */
  registrationAccessToken: string | undefined
}

/** A client that is not stored yet, with its secret; a public client has none. */
export type MadeClient = {
  client: NewClient
  clientSecret: string | undefined
  secretDigest: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Registers a client (RFC 7591). Anybody may do that, so the client never gets the scope `admin`, whatever the server supports.
 * @throws Refusal invalid_request, which names the field, or invalid_scope; where RFC 7591 holds in full, invalid_redirect_uri or
 *   invalid_client_metadata
 */
export async function registerClient(
  request: RegistrationRequest,
  deps: RegistrationDeps,
): Promise<RegisteredClient> {
  const { scopes, scopeOfNone } = await registrableScopes(deps)
  const make = (wanted: RegistrationRequest) =>
    newClient({ ...wanted, scope: wanted.scope || scopeOfNone }, { setBy: 'anybody', scopes }, deps)
  const { client, clientSecret, secretDigest } = deps.full
    ? withRegistrationErrors(() => make(substituted(request, { ...deps, scopes })))
    : make(request)
  const registrationAccessToken = deps.full ? createClientSecret(deps.randomBytes) : undefined
  const tokenDigest = registrationAccessToken && secretDigestOf(registrationAccessToken)
  // Callers with OAUTH2_REGISTRATION_TOKEN are no strangers.
  const added = await deps.store.add(client, secretDigest, tokenDigest || undefined, !deps.open)
  deps.emit('client_registered', { clientId: added.clientId, metadata: { client_name: added.clientName } })
  return { client: added, clientSecret, registrationAccessToken }
}

/** The id and the secret that a client from another system keeps. */
export type KeptCredentials = { clientId?: string | undefined; clientSecret?: string | undefined }

/**
 * Creates a client from its metadata, with defaults for what is absent, without storing it.
 * @param allowed the author of the metadata, and the scopes that they may set
 * @param kept the id and the secret, instead of new ones
 * @throws Refusal invalid_request, which names the field, or invalid_scope
 */
export function newClient(
  request: RegistrationRequest,
  allowed: { setBy: MetadataAuthor; scopes: AllowedScopes },
  deps: NewClientDeps,
  kept: KeptCredentials = {},
): MadeClient {
  const grants = checkGrantTypes(request.grantTypes.length > 0 ? request.grantTypes : defaultGrants)
  checkRedirectUrisOfGrants(request.redirectUris, grants)
  const redirectUris = checkRedirectUris(request.redirectUris, deps.redirectUriRules)
  const scope = checkScope(request.scope || defaultScope(deps.scopesSupported), allowed.scopes)
  const authMethod = request.tokenEndpointAuthMethod || defaultAuthenticationMethod
  checkAuthMethod(authMethod, deps.publicClients)
  checkGrantsOfMethod(grants, authMethod)
  const clientId = kept.clientId ?? `client_${deps.randomUuid()}`
  const clientName = checkClientName(request.clientName?.trim() || clientId)
  const openid = deps.openid || allowed.setBy === 'administrators'
  const metadata = changeMetadata({}, request.metadata, allowed.setBy, openid)
  const secret = () => kept.clientSecret ?? createClientSecret(deps.randomBytes)
  const clientSecret = hasSecret(authMethod) ? secret() : undefined
  return {
    client: {
      clientId,
      clientName,
      redirectUris,
      grantTypes: grants,
      scope,
      tokenEndpointAuthMethod: authMethod,
      metadata,
      createdBy: allowed.setBy === 'anybody' ? 'registration' : 'administrator',
    },
    clientSecret,
    secretDigest: clientSecret === undefined ? undefined : secretDigestOf(clientSecret),
  }
}

/** The grants of a client that names none (RFC 7591 section 2). */
export const defaultGrants: readonly string[] = ['authorization_code']

/**
 * The scopes that a client may register for itself, and the scope of a client that names none. Where RFC 7591 holds in full,
 * that is all of them: the user is asked about each. Otherwise it is the default scope and those of resource servers.
 */
export async function registrableScopes(
  deps: Pick<RegistrationDeps, 'scopesSupported' | 'openResourceScopes' | 'full'>,
): Promise<{ scopes: ReadonlySet<string>; scopeOfNone: string }> {
  const ofResources = await deps.openResourceScopes()
  const scopes = openScopes(new Set([...deps.scopesSupported, ...ofResources]))
  const scope = defaultScope(deps.scopesSupported)
  const wanted = [...(deps.full ? scopes : new Set([scope, ...ofResources]))].join(' ')
  return { scopes, scopeOfNone: wanted.length <= longestScope ? wanted : scope }
}

/** `read`, or the first supported scope when the server does not support `read`. */
function defaultScope(supported: ReadonlySet<string>): string {
  const [first = ''] = openScopes(supported)
  return supported.has('read') ? 'read' : first
}
