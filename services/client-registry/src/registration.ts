import type { Emit } from '@gatehouse/kit/emission'
import type { Client, ClientStore, NewClient } from './client.ts'
import { createClientSecret, type RandomBytes, secretDigestOf } from './client-secret.ts'
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
  publicMethod,
} from './metadata.ts'
import { changeMetadata, type MetadataAuthor, type SentMetadata } from './metadata-document.ts'

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

/** What creating a client needs. */
export type NewClientDeps = {
  /** Whether a client without a secret may register (token_endpoint_auth_method `none`). */
  publicClients: boolean
  /** The scopes that the server supports. */
  scopesSupported: ReadonlySet<string>
  randomUuid(): string
  randomBytes: RandomBytes
}

/** What registration needs. */
export type RegistrationDeps = NewClientDeps & {
  store: Pick<ClientStore, 'add'>
  /** The scopes of resource servers that a client may register for itself; none when resource indicators are off. */
  openResourceScopes(): Promise<string[]>
  emit: Emit
}

/** A client that is not stored yet, with its secret; a public client has none. */
export type MadeClient = {
  client: NewClient
  clientSecret: string | undefined
  secretDigest: Uint8Array<ArrayBuffer> | undefined
}

/**
 * Registers a client (RFC 7591). Anybody may do that, so the client never gets the scope `admin`, whatever the server supports.
 * @returns the client and its secret, which is not stored and cannot be shown again; a public client has none
 * @throws Refusal invalid_request, which names the field, or invalid_scope
 */
export async function registerClient(
  request: RegistrationRequest,
  deps: RegistrationDeps,
): Promise<{ client: Client; clientSecret: string | undefined }> {
  const ofResources = await deps.openResourceScopes()
  const scopes = openScopes(new Set([...deps.scopesSupported, ...ofResources]))
  const scope = request.scope || withResources(defaultScope(deps.scopesSupported), ofResources)
  const { client, clientSecret, secretDigest } = newClient(
    { ...request, scope },
    { setBy: 'anybody', scopes },
    deps,
  )
  const added = await deps.store.add(client, secretDigest)
  deps.emit('client_registered', { clientId: added.clientId, metadata: { client_name: added.clientName } })
  return { client: added, clientSecret }
}

/**
 * Creates a client from its metadata, with defaults for what is absent, without storing it.
 * @param allowed who sent the metadata, and which scopes they may set
 * @throws Refusal invalid_request, which names the field, or invalid_scope
 */
export function newClient(
  request: RegistrationRequest,
  allowed: { setBy: MetadataAuthor; scopes: AllowedScopes },
  deps: NewClientDeps,
): MadeClient {
  const grants = checkGrantTypes(request.grantTypes.length > 0 ? request.grantTypes : ['authorization_code'])
  checkRedirectUrisOfGrants(request.redirectUris, grants)
  const redirectUris = checkRedirectUris(request.redirectUris)
  const scope = checkScope(request.scope || defaultScope(deps.scopesSupported), allowed.scopes)
  const authMethod = request.tokenEndpointAuthMethod ?? 'client_secret_basic'
  checkAuthMethod(authMethod, deps.publicClients)
  checkGrantsOfMethod(grants, authMethod)
  const clientId = `client_${deps.randomUuid()}`
  const clientName = checkClientName(request.clientName?.trim() || clientId)
  const metadata = changeMetadata({}, request.metadata, allowed.setBy)
  const clientSecret = authMethod === publicMethod ? undefined : createClientSecret(deps.randomBytes)
  return {
    client: {
      clientId,
      clientName,
      redirectUris,
      grantTypes: grants,
      scope,
      tokenEndpointAuthMethod: authMethod,
      metadata,
    },
    clientSecret,
    secretDigest: clientSecret === undefined ? undefined : secretDigestOf(clientSecret),
  }
}

/** `read`, or the first supported scope when the server does not support `read`. */
function defaultScope(supported: ReadonlySet<string>): string {
  const [first = ''] = openScopes(supported)
  return supported.has('read') ? 'read' : first
}

/** The scope of a client that registers without one: also those of resource servers that are open to it, if there is room. */
function withResources(scope: string, ofResources: readonly string[]): string {
  const all = [...new Set([scope, ...ofResources])].join(' ')
  return all.length <= longestScope ? all : scope
}
