import type { Emit } from '@gatehouse/kit/events/emission'
import type { Authority } from '../authority/authority.ts'
import type { Client } from '../clients/client-authentication.ts'
import {
  grantTargetScope,
  type ResourceIndicators,
  requestedOrDefault,
} from '../clients/resource-indicators.ts'
import type { AccessTokenStore } from '../tokens/access-token-store.ts'
import { newGrant } from '../tokens/grant-record.ts'
import {
  type IssuedToken,
  newAccessToken,
  type SigningDeps,
  signAccessToken,
} from '../tokens/issued-token.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { judgeNewGrant } from './judged-grant.ts'

/** The needs of the client_credentials grant. */
export type ClientCredentialsGrantDeps = SigningDeps & {
  store: Pick<AccessTokenStore, 'insert'>
  resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
  authority: Authority
  emit: Emit
}

const grantType = 'client_credentials'

/** Issues a token in the client's own name. The token is stored before the response is sent. */
async function issue(
  client: Client,
  { parameters, resources }: GrantRequest,
  deps: ClientCredentialsGrantDeps,
): Promise<IssuedToken> {
  const { clientId, revision: clientRevision } = client
  const { scope: requested = '' } = parameters
  const wanted = requestedOrDefault({ resources, scope: requested }, client)
  const target = await deps.resourceIndicators.targetOf(wanted, client)
  const granted = grantTargetScope(requested, target, client)
  const { scope, authority } = await judgeNewGrant(undefined, granted, { client, target }, deps)
  const key = newAccessToken({ client, target }, deps)
  // A token in the client's own name is the only one of its grant, so it names the grant.
  const grantId = key.jti
  const grant = newGrant(client, scope, target)
  const [token] = await Promise.all([
    signAccessToken({ ...key, authority }, grant, { client, target }, deps),
    deps.store.insert({ ...key, grantId, clientRevision, grant, authority }),
  ])
  deps.emit('token_created', {
    clientId,
    metadata: { token_id: key.jti, grant_type: grantType, scope },
  })
  return token
}

/** The grant of a client's own credentials (RFC 6749 section 4.4). */
export const clientCredentials: Grant<ClientCredentialsGrantDeps> = { issue }
