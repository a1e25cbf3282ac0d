import type {
  AuthorizationServerMetadata,
  ClientToCreate,
  Status,
} from '@gatehouse/admin-api/generated/openapi'

/** The kinds of apps that people create with the guide. */
export const kindNames = ['web', 'spa', 'native', 'machine', 'mcp', 'resource'] as const

/** The name of a kind of app. */
export type KindName = (typeof kindNames)[number]

/** The values of the form of the guide. */
export type AppDescription = {
  name: string
  /** Empty for apps without a login. */
  redirectUri: string
  /** Of a resource server. */
  identifier: string
  scope: string
  scopeWords: string
  /** Whether the app reads name and e-mail from the ID token, and does not ask userinfo. */
  idTokenClaims: boolean
}

/** The abilities of this installation. */
export type Installation = {
  server: AuthorizationServerMetadata
  status: Pick<Status, 'resource_indicators' | 'cors_origins' | 'client_origins'>
}

/** The parts of a kind of app. */
type Kind = {
  /** The values with which the client is created, besides its name; absent for an app that is no client. */
  client?: (server: AuthorizationServerMetadata) => ClientToCreate
  /** The redirect URI that the form begins with; absent for apps without a login. */
  redirectUri?: string
  /** Whether the app gets a resource server. @returns its settings besides name, identifier and scopes */
  resource?: { open_registration: boolean; scope: string }
  /** The variables to set before the server can serve this kind; none when it can. */
  needs(installation: Installation): readonly string[]
}

const userGrants = ({ grant_types_supported: supported }: AuthorizationServerMetadata) =>
  (['authorization_code', 'refresh_token'] as const).filter((grant) => supported.includes(grant))

const publicClient: Kind['client'] = (server) => ({
  grant_types: userGrants(server),
  token_endpoint_auth_method: 'none',
})

const needsPublicClients: Kind['needs'] = ({ server }) =>
  server.token_endpoint_auth_methods_supported.includes('none') ? [] : ['OAUTH2_PUBLIC_CLIENTS_ENABLED=true']

/** Without them no token is for a resource server, which would refuse all. */
const needsResources: Kind['needs'] = ({ status }) =>
  status.resource_indicators ? [] : ['OAUTH2_RESOURCE_INDICATORS=registered']

/** The clients of an MCP server are known to nobody before. */
const needsUnknownClients: Kind['needs'] = ({ server }) =>
  server.registration_endpoint !== undefined || server.client_id_metadata_document_supported === true
    ? []
    : ['OAUTH2_REGISTRATION=open']

const needsNothing: Kind['needs'] = () => []

/** The kinds of apps, and what each is made of. */
export const kinds: Readonly<Record<KindName, Kind>> = {
  web: {
    client: (server) => ({ grant_types: userGrants(server) }),
    redirectUri: 'http://localhost:3000/callback',
    needs: needsNothing,
  },
  spa: { client: publicClient, redirectUri: 'http://localhost:5173/callback', needs: needsPublicClients },
  native: { client: publicClient, redirectUri: 'http://127.0.0.1/callback', needs: needsPublicClients },
  machine: { client: () => ({ grant_types: ['client_credentials'] }), needs: needsNothing },
  mcp: {
    resource: { open_registration: true, scope: 'mcp:tools' },
    needs: (installation) =>
      [needsPublicClients, needsUnknownClients, needsResources].flatMap((needs) => needs(installation)),
  },
  resource: { resource: { open_registration: false, scope: 'orders:read' }, needs: needsResources },
}

/** The scopes that say who a user is (OpenID Connect Core section 5.4), which a login asks for. */
const aboutUsers = ['openid', 'profile', 'email']
/** All scopes of OpenID Connect. None of them means anything to a service. */
const ofOpenid = [...aboutUsers, 'address', 'phone', 'offline_access']

/** Whether apps of a kind can get ID tokens here. */
export function getsIdTokens(kind: KindName, server: AuthorizationServerMetadata): boolean {
  return kinds[kind].redirectUri !== undefined && server.userinfo_endpoint !== undefined
}

/** The values that the form begins with. */
export function firstDescription(kind: KindName, server: AuthorizationServerMetadata): AppDescription {
  const { redirectUri = '', resource } = kinds[kind]
  const supported = server.scopes_supported
  const login = getsIdTokens(kind, server) ? supported.filter((scope) => aboutUsers.includes(scope)) : []
  const other = supported.find((scope) => !ofOpenid.includes(scope)) ?? ''
  return {
    name: '',
    redirectUri,
    identifier: '',
    scope: resource?.scope ?? (login.join(' ') || other),
    scopeWords: '',
    idTokenClaims: false,
  }
}

/** The client of an app. A resource server needs one to check tokens at the introspection endpoint. */
export function clientOf(
  kind: KindName,
  { name, redirectUri, scope, idTokenClaims }: AppDescription,
  server: AuthorizationServerMetadata,
): ClientToCreate {
  const { client, resource } = kinds[kind]
  return {
    client_name: name,
    ...(client?.(server) ?? { grant_types: ['client_credentials'] }),
    ...(redirectUri !== '' && { redirect_uris: [redirectUri] }),
    ...(!resource && { scope }),
    ...(idTokenClaims && { id_token_user_claims: true }),
  }
}

/**
 * The origin of an app's pages that may not call the server here, which its browsers would refuse to let them (the Fetch standard's CORS
 * protocol); undefined if they may, or if the app has no such pages.
 */
export function refusedOrigin(
  kind: KindName,
  redirectUri: string,
  { status }: Installation,
): string | undefined {
  if (kind !== 'spa') return undefined
  const url = URL.parse(redirectUri)
  const { cors_origins: allowed, client_origins: ofClients } = status
  if (url === null || allowed.includes('*') || allowed.includes(url.origin)) return undefined
  // The client will have the origin of its redirect URI.
  return ofClients && ['https:', 'http:'].includes(url.protocol) ? undefined : url.origin
}
