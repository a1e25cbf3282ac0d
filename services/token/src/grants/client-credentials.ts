import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { AccessTokenSigner } from '../access-token.ts'
import type { AccessTokenStore } from '../access-token-store.ts'
import {
  authenticateClient,
  type ClientAuthenticationDeps,
  type PresentedCredentials,
} from '../client-authentication.ts'
import { grantScope } from '../scope.ts'

/** A request for a token in the client's own name. */
export type ClientCredentialsRequest = {
  credentials: readonly PresentedCredentials[]
  /** Space-separated; empty: the client's registered scope. */
  scope: string
}

/** What the token endpoint answers. */
export type IssuedToken = { accessToken: string; expiresIn: number; scope: string }

/** What issuing a token needs. */
export type IssuingDeps = ClientAuthenticationDeps & {
  signer: AccessTokenSigner
  store: Pick<AccessTokenStore, 'insert'>
  issuer: string
  audience: string
  /** Seconds. */
  accessTokenLifetime: number
}

/** The client_credentials grant's name. */
export const grantType = 'client_credentials'

/**
 * Issues a token to a client for itself (RFC 6749 section 4.4). The token is stored before it is answered.
 * @throws Refusal invalid_client, unauthorized_client, invalid_scope, temporarily_unavailable
 */
export async function issueByClientCredentials(
  request: ClientCredentialsRequest,
  deps: IssuingDeps,
): Promise<IssuedToken> {
  const client = await authenticateClient(request.credentials, deps)
  if (!client.grantTypes.has(grantType)) {
    throw new Refusal('unauthorized_client', `The client is not registered for the grant ${grantType}.`)
  }
  const scope = grantScope(request.scope, client.scope)
  const iat = Math.floor(deps.now() / 1000)
  const exp = iat + deps.accessTokenLifetime
  const jti = randomUUIDv7()
  const { clientId } = client
  const accessToken = deps.signer.sign({
    iss: deps.issuer,
    sub: clientId,
    aud: deps.audience,
    exp,
    iat,
    jti,
    scope,
    client_id: clientId,
  })
  // A token in the client's own name is the only one of its grant, so it names the grant.
  await deps.store.insert({ expiresAt: exp, jti, grantId: jti, clientId, scope })
  return { accessToken, expiresIn: deps.accessTokenLifetime, scope }
}
