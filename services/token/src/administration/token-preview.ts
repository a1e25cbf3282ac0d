import { Refusal } from '@gatehouse/kit/errors'
import { grantsWhere } from '@gatehouse/proto/grants'
import type { Authority } from '../authority/authority.ts'
import { type Client, type ClientAuthenticationDeps, isPublic } from '../clients/client-authentication.ts'
import {
  grantTargetScope,
  type ResourceIndicators,
  requestedOrDefault,
} from '../clients/resource-indicators.ts'
import { claimsInIdToken } from '../openid/id-token.ts'
import { type FindProfile, pickUserClaims, type UserProfile } from '../openid/user-claims.ts'
import { decideOrganization, readOrganization } from '../organizations/organization-of-request.ts'
import { newGrant } from '../tokens/grant-record.ts'
import { accessTokenClaims, lifetimeOf, type SigningDeps } from '../tokens/issued-token.ts'

/** The tokens that are asked for. */
export type PreviewRequest = {
  userId: string
  clientId: string
  /** Space-separated; empty for all that the client may have. */
  scope: string
  /** The identifiers of resource servers; none for the default audience, or the client's default resource server. */
  resources: readonly string[]
  /** The id or the slug of the organization in which the user would act; undefined for none. */
  organization?: string | undefined
}

type Claims = Readonly<Record<string, unknown>>

/** The contents of tokens. */
export type TokenPreview = {
  accessToken: Claims
  /** Without what only a login decides; undefined where there would be no ID token. */
  idToken: Claims | undefined
  /** The answer of the userinfo endpoint; undefined where it would refuse the access token. */
  userinfo: Claims | undefined
}

/** The needs of looking ahead. */
export type TokenPreviewDeps = Pick<SigningDeps, 'issuer' | 'audience' | 'accessTokenLifetime' | 'now'> &
  Pick<ClientAuthenticationDeps, 'findClient'> & {
    findProfile: FindProfile
    resourceIndicators: Pick<ResourceIndicators, 'targetOf'>
    authority: Authority
    publicClientsEnabled: boolean
    /** Whether OpenID Connect is on. */
    openid: boolean
  }

/** The grants that give tokens of users. */
const grantsOfUsers = grantsWhere(({ tokensOf }) => tokensOf === 'user')

/**
 * Says what tokens a client would get for a user now, if the user agreed. Nothing is issued, stored or counted.
 * @throws Refusal not_found for an unknown client; access_denied, unauthorized_client, invalid_scope or invalid_target where it would get
 *   none, as the authorization endpoint refuses; temporarily_unavailable
 */
export async function previewTokens(
  { userId, clientId, scope: requested, resources, organization }: PreviewRequest,
  deps: TokenPreviewDeps,
): Promise<TokenPreview> {
  const { authority } = deps
  const [client, profile] = await Promise.all([deps.findClient(clientId), deps.findProfile(userId)])
  if (client === undefined) throw new Refusal('not_found', 'There is no such client.')
  if (profile === undefined) throw new Refusal('access_denied', 'The user is disabled.')
  checkClient(client, deps)
  const named = requestedOrDefault({ resources, scope: requested }, client)
  const target = await deps.resourceIndicators.targetOf(named, client)
  const asked = grantTargetScope(requested, target, client)
  const organizationId = await organizationOf(client, { userId, named: organization }, authority)
  const judged = await authority.judge({ client, userId, organizationId }, target, asked)
  if (judged === undefined) throw new Refusal('access_denied', 'The user has no role that gives this scope.')
  const { scope } = judged
  const user = { userId, username: profile.username }
  const grant = { ...newGrant(client, scope, target), user, organizationId }
  const expiresIn = lifetimeOf({ client, target }, deps)
  const row = { expiresAt: Math.floor(deps.now() / 1000) + expiresIn, jti: '', authority: judged.authority }
  const { jti: _, ...accessToken } = accessTokenClaims(row, grant, expiresIn, deps)
  const isOpenid = deps.openid && scope.split(' ').includes('openid')
  return {
    accessToken,
    idToken: isOpenid
      ? {
          ...{ iss: deps.issuer, sub: userId, aud: clientId },
          ...(await claimsInIdToken(client, { userId, organizationId, scope, ...afterOwnLogin }, deps)),
        }
      : undefined,
    userinfo:
      isOpenid && target.servers.length === 0
        ? await userinfoOf(client, { userId, organizationId, profile, scope }, deps)
        : undefined,
  }
}

/** @throws Refusal unauthorized_client when the client gets no tokens of users */
function checkClient(client: Client, { publicClientsEnabled }: TokenPreviewDeps): void {
  if (client.disabled) throw new Refusal('unauthorized_client', 'The client is disabled.')
  if (isPublic(client) && !publicClientsEnabled)
    throw new Refusal('unauthorized_client', 'Clients without a secret are switched off on this server.')
  if (!grantsOfUsers.some((grant) => client.grantTypes.has(grant)))
    throw new Refusal(
      'unauthorized_client',
      'The client is registered for no grant that gives tokens of users.',
    )
}

/**
 * The organization in which the tokens would be given.
 * @throws Refusal access_denied where the user cannot act in it, or would have to choose one
 */
async function organizationOf(
  client: Client,
  { userId, named }: { userId: string; named: string | undefined },
  { organizations }: Authority,
): Promise<string | undefined> {
  const asked = { client, named: readOrganization(named) }
  const decided = await decideOrganization(asked, { userId, choice: undefined }, organizations)
  if (decided.state === 'refused') throw decided.refusal
  if (decided.state === 'in') return decided.membership.organizationId
  if (decided.state === 'choose' && !decided.mayChooseNone)
    throw new Refusal('access_denied', 'The user is in several organizations: name one of them.')
  return undefined
}

/** A preview shows the tokens after a login by a way of the instance. */
const afterOwnLogin = { requested: {}, readBy: undefined }

async function userinfoOf(
  client: Client,
  {
    profile,
    ...of
  }: { userId: string; organizationId: string | undefined; profile: UserProfile; scope: string },
  { authority }: TokenPreviewDeps,
): Promise<Claims> {
  const wanted = { ...of, ...afterOwnLogin }
  return {
    sub: of.userId,
    ...pickUserClaims(profile, { ...wanted, permitted: client.scope }),
    ...(of.organizationId !== undefined && { org_id: of.organizationId }),
    ...(await authority.claimsAbout({ client, ...wanted, inToken: false })),
  }
}
