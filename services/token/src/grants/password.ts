import { randomUUIDv7 } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Authority } from '../authority/authority.ts'
import type { ProofStore } from '../clients/assertions/proof.ts'
import type { Client } from '../clients/client-authentication.ts'
import {
  grantTargetScope,
  type ResourceIndicators,
  requestedOrDefault,
} from '../clients/resource-indicators.ts'
import { organizationModeOf } from '../organizations/organizations.ts'
import type { AccessTokenStore, StoreTime } from '../tokens/access-token-store.ts'
import { newGrant, type UserGrant } from '../tokens/grant-record.ts'
import type { IssuedToken, NewTokens } from '../tokens/issued-token.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { judgeNewGrant } from './judged-grant.ts'
import { requireParameters } from './parameters.ts'
import { answerWith, tokensOfNewGrant, type UserTokenDeps } from './user-tokens.ts'

const grantType = 'password'

/** A user's name and password, and who sent them. */
export type UserCredentials = {
  username: string
  password: string
  /** The address the request comes from. */
  ipAddress: string
  /** The client that sends it. */
  clientId: string
}

/** The result of authenticating a user. */
export type UserAuthentication =
  | { outcome: 'user'; userId: string; username: string }
  | { outcome: 'throttled'; retryAfterSeconds: number }
  /** The same for a wrong password, an unknown user and a disabled one. */
  | { outcome: 'refused' }

/** Authenticates a user by name and password. */
export type AuthenticateUser = (credentials: UserCredentials) => Promise<UserAuthentication>

/** A grant for which the user gave the client their password. */
export type PasswordGrantRecord = {
  grantId: string
  /** The client's revision on which the decision to give it is based. */
  clientRevision: bigint
  grant: UserGrant
  /** The scope of its first access token, space-separated: less than that of the grant where roles give less. */
  accessScope: string
  /** By the store's clock, before the user was authenticated, so that disabling them since then revokes the tokens. */
  grantedAt: StoreTime
}

/** The needs of the password grant. */
export type PasswordGrantDeps = UserTokenDeps & {
  authenticateUser: AuthenticateUser
  resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
  authority: Authority
  store: Pick<AccessTokenStore, 'now'>
  proofs: ProofStore
  passwordGrants: {
    /** Stores the tokens of a new grant in one statement. @throws ClientChanged */
    add(grant: PasswordGrantRecord, tokens: NewTokens): Promise<void>
  }
}

/**
 * Issues the tokens of a user who gave the client their name and password (RFC 6749 section 4.3). RFC 9700 section 2.4
 * forbids this grant; it exists for clients that cannot migrate yet.
 * Its tokens are of no organization: nobody is there who could choose one.
 * @throws Refusal invalid_request, invalid_scope, invalid_target, invalid_grant, unauthorized_client for a client that needs an
 *   organization, rate_limit_exceeded, temporarily_unavailable
 */
async function issue(
  client: Client,
  { parameters, resources, ipAddress, proof }: GrantRequest,
  deps: PasswordGrantDeps,
): Promise<IssuedToken> {
  const { username = '', password = '', scope: requested = '' } = parameters
  requireParameters({ username, password })
  if (organizationModeOf(client, deps.authority.organizations) === 'required')
    throw new Refusal(
      'unauthorized_client',
      'The client needs an organization, and the grant password gives tokens of none.',
    )
  const wanted = requestedOrDefault({ resources, scope: requested }, client)
  const target = await deps.resourceIndicators.targetOf(wanted, client)
  const scope = grantTargetScope(requested, target, client)
  // Before the password is judged: whoever has seen one assertion cannot try passwords with it.
  if (proof) await deps.proofs.spend(proof)
  const grantedAt = await deps.store.now()
  const user = await deps.authenticateUser({ username, password, ipAddress, clientId: client.clientId })
  if (user.outcome === 'throttled') throw throttled(user.retryAfterSeconds)
  if (user.outcome === 'refused') {
    throw new Refusal('invalid_grant', 'The user name or the password is wrong.')
  }
  const { userId, username: name } = user
  const { scope: accessScope, authority } = await judgeNewGrant(
    { userId, organizationId: undefined },
    scope,
    { client, target },
    deps,
  )
  const tokens = tokensOfNewGrant({ client, target, authority }, deps)
  const grant = { ...newGrant(client, scope, target), user: { userId, username: name } }
  const record = { grantId: randomUUIDv7(), clientRevision: client.revision, grant, accessScope, grantedAt }
  await deps.passwordGrants.add(record, tokens.stored)
  return answerWith(tokens, { grant: { ...grant, scope: accessScope } }, { client, grantType }, deps)
}

/** The grant of a user's password (RFC 6749 section 4.3). */
export const password: Grant<PasswordGrantDeps> = { issue }

function throttled(seconds: number): Refusal {
  const description = `Too many failed logins. Please try again later: in ${seconds} seconds.`
  return new Refusal('rate_limit_exceeded', description, { retryAfter: seconds })
}
