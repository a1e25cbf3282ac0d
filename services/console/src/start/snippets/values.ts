import type {
  AuthorizationServerMetadata,
  OAuthClient,
  ResourceServer,
} from '@gatehouse/admin-api/generated/openapi'

/** The values in the code of a snippet. */
export type SnippetValues = {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  introspectionEndpoint: string
  /** Whether the app gets an ID token (OpenID Connect). */
  openid: boolean
  clientId: string
  /** Empty for a public client. */
  clientSecret: string
  /** Space-separated. */
  scope: string
  /** Empty for an app without a login. */
  redirectUri: string
  /** The identifier of the resource server; empty for everything else. */
  identifier: string
}

/** Code to copy. */
export type Snippet = {
  name: string
  code(values: SnippetValues): string
  /** Whether the code works with these values; absent when it always does. */
  when?(values: SnippetValues): boolean
}

/** The values of an app that was created. */
export function valuesOf(
  {
    client,
    resource,
  }: { client: OAuthClient & { client_secret?: string }; resource?: ResourceServer | undefined },
  server: AuthorizationServerMetadata,
): SnippetValues {
  const scope = resource ? resource.scopes.map(({ scope }) => scope).join(' ') : client.scope
  const redirectUri = client.redirect_uris[0] ?? ''
  return {
    issuer: server.issuer,
    authorizationEndpoint: server.authorization_endpoint,
    tokenEndpoint: server.token_endpoint,
    introspectionEndpoint: server.introspection_endpoint,
    openid:
      server.userinfo_endpoint !== undefined && (redirectUri === '' || scope.split(' ').includes('openid')),
    clientId: client.client_id,
    clientSecret: client.client_secret ?? '',
    scope,
    redirectUri,
    identifier: resource?.identifier ?? '',
  }
}

/** A text as JavaScript, Python, Go, Java and YAML write it. */
export const quoted = (text: string) => JSON.stringify(text)

/** Joins lines, without those that are false. */
export const lines = (...parts: (string | false)[]) => parts.filter((part) => part !== false).join('\n')

/** The path of a redirect URI. */
export function pathOf(address: string): string {
  return URL.parse(address)?.pathname ?? '/callback'
}

/** The path at which an app begins its login: the first page, unless users come back there. */
export function loginPathOf(redirectUri: string): string {
  return pathOf(redirectUri) === '/' ? '/login' : '/'
}

/** The port on which an app listens: that of its redirect URI. Behind a proxy with TLS it is 3000. */
export function portOf(address: string): string {
  const url = URL.parse(address)
  return url?.port || (url?.protocol === 'http:' ? '80' : '3000')
}

/** Whether users come back to an app by HTTP, and not by a scheme of its own. */
export const byHttp = ({ redirectUri }: SnippetValues) => /^https?:/i.test(redirectUri)
