import type { AuthorizationServerMetadata, ClientToCreate } from '@gatehouse/admin-api/generated/openapi'

/** The kinds of apps that people create with the guide. */
export const kindNames = ['web', 'spa', 'native', 'machine', 'mcp', 'resource'] as const

/** The name of a kind of app. */
export type KindName = (typeof kindNames)[number]

/** What a kind of app is made of. */
type Kind = {
  /** What the client is created with besides its name; absent for what is no client. */
  client?: (server: AuthorizationServerMetadata) => ClientToCreate
  /** The redirect URI that the form begins with; absent for apps without a login. */
  redirectUri?: string
  /** Whether the app gets a resource server. @returns its settings besides name, identifier and scopes */
  resource?: { open_registration: boolean; scope: string }
  /** The variable to set when the server cannot serve this kind; undefined when it can. */
  needs(server: AuthorizationServerMetadata): string | undefined
}

const userGrants = ({ grant_types_supported: supported }: AuthorizationServerMetadata) =>
  (['authorization_code', 'refresh_token'] as const).filter((grant) => supported.includes(grant))

const publicClient: Kind['client'] = (server) => ({
  grant_types: userGrants(server),
  token_endpoint_auth_method: 'none',
})

const needsPublicClients: Kind['needs'] = ({ token_endpoint_auth_methods_supported: methods }) =>
  methods.includes('none') ? undefined : 'OAUTH2_PUBLIC_CLIENTS_ENABLED=true'

const needsNothing: Kind['needs'] = () => undefined

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
  mcp: { resource: { open_registration: true, scope: 'mcp:tools' }, needs: needsPublicClients },
  resource: { resource: { open_registration: false, scope: 'orders:read' }, needs: needsNothing },
}
