import type { Emit } from '@gatehouse/kit/emission'
import { Refusal } from '@gatehouse/kit/errors'
import type { AccessTokenStore } from '../access-token-store.ts'
import {
  authenticateClient,
  type ClientAuthenticationDeps,
  type PresentedCredentials,
} from '../client-authentication.ts'
import { type IssuedToken, newAccessToken, type SigningDeps, signAccessToken } from '../issued-token.ts'
import { grantScope } from '../scope.ts'

/** A request for a token in the client's own name. */
export type ClientCredentialsRequest = {
  credentials: readonly PresentedCredentials[]
  /** Space-separated; empty: the client's registered scope. */
  scope: string
}

/** What issuing a token needs. */
export type IssuingDeps = ClientAuthenticationDeps &
  SigningDeps & { store: Pick<AccessTokenStore, 'insert'>; emit: Emit }

/** The client_credentials grant's name. */
export const grantType = 'client_credentials'

/**
 * Issues a token to a client for itself (RFC 6749 section 4.4), which a public client cannot be given. The token is
 * stored before it is answered.
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
  const { clientId } = client
  deps.emit('client_validated', { clientId, metadata: {} })
  const scope = grantScope(request.scope, client.scope)
  const key = newAccessToken(deps)
  const token = signAccessToken(key, { subject: clientId, scope, client }, deps)
  // A token in the client's own name is the only one of its grant, so it names the grant.
  await deps.store.insert({ ...key, grantId: key.jti, clientId, scope })
  deps.emit('token_created', {
    clientId,
    metadata: { token_id: key.jti, grant_type: grantType, scope },
  })
  return token
}
