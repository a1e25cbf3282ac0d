import {
  type ClientAuthenticationMethod,
  isAuthenticationMethod,
} from '@gatehouse/proto/client-authentication'
import type { Client } from '../client-authentication.ts'
import { clientSecret } from './client-secret.ts'
import type { AuthenticationMethod } from './method.ts'
import { none } from './none.ts'
import { privateKeyJwt } from './private-key-jwt.ts'
import { selfSignedTlsClientAuth } from './self-signed-tls-client-auth.ts'
import { tlsClientAuth } from './tls-client-auth.ts'

/** The module of each method in proto/client-authentication.ts. */
const methods = {
  client_secret_basic: clientSecret,
  client_secret_post: clientSecret,
  private_key_jwt: privateKeyJwt,
  tls_client_auth: tlsClientAuth,
  self_signed_tls_client_auth: selfSignedTlsClientAuth,
  none,
} satisfies Record<ClientAuthenticationMethod, AuthenticationMethod>

/** The method of a client. One that only a later release knows, and nobody at all, count as with a secret: no secret is right. */
export function methodOf(client: Client | undefined): AuthenticationMethod {
  const name = client?.tokenEndpointAuthMethod ?? ''
  return isAuthenticationMethod(name) ? methods[name] : clientSecret
}
