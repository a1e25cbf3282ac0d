import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import type { Authority } from '../authority/authority.ts'
import type { Client } from '../clients/client-authentication.ts'
import {
  grantTargetScope,
  type ResourceIndicators,
  requestedOrDefault,
} from '../clients/resource-indicators.ts'
import type { AccessTokenStore, StoreTime } from '../tokens/access-token-store.ts'
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
  store: Pick<AccessTokenStore, 'insert' | 'now'>
  resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
  authority: Authority
  emit: Emit
}

const grantType = 'client_credentials'

/**
 * Issues a token in the client's own name. The token is stored before the response is sent.
 * @throws Refusal invalid_scope, invalid_target, unauthorized_client for another organization than the client's or a disabled one,
 *   temporarily_unavailable
 */
async function issue(
  client: Client,
  { parameters, resources, proof }: GrantRequest,
  deps: ClientCredentialsGrantDeps,
): Promise<IssuedToken> {
  const { clientId, revision: clientRevision } = client
  const { scope: requested = '' } = parameters
  const wanted = requestedOrDefault({ resources, scope: requested }, client)
  const target = await deps.resourceIndicators.targetOf(wanted, client)
  const granted = grantTargetScope(requested, target, client)
  const owner = await actingFor(client, parameters.organization, deps)
  const organizationId = owner?.organizationId
  const acting = { userId: undefined, organizationId }
  const { scope, authority } = await judgeNewGrant(acting, granted, { client, target }, deps)
  const key = newAccessToken({ client, target }, deps)
  // A token in the client's own name is the only one of its grant, so it names the grant.
  const grantId = key.jti
  const grant = { ...newGrant(client, scope, target), organizationId }
  const [token] = await Promise.all([
    signAccessToken({ ...key, authority }, grant, { client, target }, deps),
    deps.store.insert({ ...key, grantId, clientRevision, grant, authority, grantedAt: owner?.seenAt, proof }),
  ])
  deps.emit('token_created', {
    clientId,
    metadata: { token_id: key.jti, grant_type: grantType, scope },
  })
  return token
}

/** The grant of a client's own credentials (RFC 6749 section 4.4). */
export const clientCredentials: Grant<ClientCredentialsGrantDeps> = { issue }

/**
 * The organization for which a client acts: the one that owns it, if that is not disabled, with the time at which that was asked. A
 * revocation that comes later than this applies to the token. A client without one costs no question.
 * @param named what the client sent
 * @throws Refusal unauthorized_client, temporarily_unavailable
 */
async function actingFor(
  { metadata }: Client,
  named: string | undefined,
  { store, authority: { organizations } }: ClientCredentialsGrantDeps,
): Promise<{ organizationId: string; seenAt: StoreTime } | undefined> {
  if (organizations === undefined || (!metadata.organization && !named)) return undefined
  if (!metadata.organization) throw notTheirs()
  const seenAt = await store.now()
  const owner = await organizations.find(metadata.organization)
  if (owner === undefined || (named && named !== owner.organizationId && named !== owner.slug))
    throw notTheirs()
  return { organizationId: owner.organizationId, seenAt }
}

/** One description, whether there is no such organization, it is disabled, or it does not own the client. */
function notTheirs(): Refusal {
  return new Refusal('unauthorized_client', 'The client cannot act for this organization.')
}
