import {
  type ClientAuthenticationMethod,
  isAuthenticationMethod,
} from '@gatehouse/proto/client-authentication'
import type { Client, ClientAuthenticationDeps } from '../client-authentication.ts'
import { clientSecret } from './client-secret.ts'
import type { AuthenticationMethod, ClaimedRequest, Judgement } from './method.ts'
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

/**
 * Judges a request by the method of its client. An assertion counts for the clients that registered keys, and is never left unread: with one
 * from another client or from nobody, it takes as long as with a wrong signature.
 */
export async function judge(request: ClaimedRequest, deps: ClientAuthenticationDeps): Promise<Judgement> {
  const { client, presented } = request
  const method = methodOf(client)
  if (presented.assertion === undefined || method.readsAssertions) return method.judge(request, deps)
  await privateKeyJwt.judge({ ...request, client: undefined }, deps)
  return method === none ? 'public_client' : 'no_secret'
}

/** The method of a client. One that only a later release knows, and nobody at all, count as with a secret: no secret is right. */
function methodOf(client: Client | undefined): AuthenticationMethod {
  const name = client?.tokenEndpointAuthMethod ?? ''
  return isAuthenticationMethod(name) ? methods[name] : clientSecret
}
