import { type ClientAuth, ClientSecretBasic, ClientSecretPost } from 'openid-client'

/**
 * Authenticates with the first method in the provider's metadata that we support, or with client_secret_basic when the
 * metadata name none (RFC 8414 section 2).
 */
export function clientSecret(secret: string): ClientAuth {
  const ways: Record<string, ClientAuth> = {
    client_secret_basic: ClientSecretBasic(secret),
    client_secret_post: ClientSecretPost(secret),
  }
  return (server, client, body, headers) => {
    const named = server.token_endpoint_auth_methods_supported?.find((way) => Object.hasOwn(ways, way))
    return ways[named ?? 'client_secret_basic']?.(server, client, body, headers)
  }
}
