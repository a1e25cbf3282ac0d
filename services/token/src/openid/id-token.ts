import { hash } from 'node:crypto'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import { userClaims } from '@gatehouse/proto/claims'
import type { Authority } from '../authority/authority.ts'
import type { Client } from '../clients/client-authentication.ts'
import { contextOf } from './authentication-context.ts'
import type { SessionGrant } from './session-grant.ts'
import { type FindProfile, pickUserClaims, readerOf, type WantedClaims } from './user-claims.ts'

/** The needs of issuing ID tokens. */
export type IdTokenDeps = {
  /** undefined where OpenID Connect is off. */
  idTokens: IdTokenRules | undefined
  authority: Pick<Authority, 'claimsAbout'>
  issuer: string
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** How ID tokens are made. */
export type IdTokenRules = {
  /** The algorithms that are on. */
  algorithms: readonly KeyPairAlgorithm[]
  /** @throws Refusal temporarily_unavailable when no key of the algorithm is known */
  signIdToken(algorithm: KeyPairAlgorithm, claims: Readonly<Record<string, unknown>>): Promise<string>
  findProfile: FindProfile
}

/** Reads an ID token of this server, expired or not; undefined when it is none. */
export type ReadIdToken = (
  idToken: string,
) => Promise<{ userId: string; clientId: string; sessionId: string } | undefined>

/**
 * Creates the function that reads ID tokens that come back as hints.
 * @param verify gives the claims of an ID token that this server signed, expired or not
 */
export function createIdTokenReader(
  verify: (idToken: string) => Promise<Readonly<Record<string, unknown>> | undefined>,
  issuer: string,
): ReadIdToken {
  return async (idToken) => {
    const { iss, sub, aud, sid } = (await verify(idToken)) ?? {}
    if (iss !== issuer || typeof sub !== 'string' || typeof aud !== 'string') return undefined
    return { userId: sub, clientId: aud, sessionId: typeof sid === 'string' ? sid : '' }
  }
}

/** In seconds. */
const lifetime = 300

/** The tokens for which an ID token is issued. */
type IssuedFor = { accessToken: string; scope: string }

/** The grant of the tokens. `first` is true for those of the code (OpenID Connect Core section 12.2). */
type GrantOfIdToken = {
  grant: {
    user: { userId: string }
    session: SessionGrant | undefined
    /** undefined for none. */
    organizationId: string | undefined
  }
  first: boolean
}

/**
 * Issues the ID token that belongs to a token response (OpenID Connect Core sections 2, 3.1.3.3 and 12.2).
 * @returns undefined unless the scope has openid
 */
export async function idTokenFor(
  client: Client,
  { accessToken, scope }: IssuedFor,
  { grant, first }: GrantOfIdToken,
  { idTokens, authority, issuer, now }: IdTokenDeps,
): Promise<string | undefined> {
  const { session: sessionGrant, organizationId } = grant
  const { userId } = grant.user
  if (idTokens === undefined || sessionGrant === undefined || !scope.split(' ').includes('openid'))
    return undefined
  const { nonce, authenticatedAt, methods, sessionId, claims } = sessionGrant
  const algorithm = idTokenAlgorithmOf(client, idTokens.algorithms)
  const issuedAt = Math.floor(now() / 1000)
  const requested = claims?.id_token ?? {}
  const { findProfile } = idTokens
  const readBy = readerOf(sessionGrant, organizationId)
  const wanted = { userId, organizationId, scope, requested, readBy }
  const ofUser = await claimsInIdToken(client, wanted, { findProfile, authority })
  return idTokens.signIdToken(algorithm, {
    iss: issuer,
    sub: userId,
    aud: client.clientId,
    exp: issuedAt + lifetime,
    iat: issuedAt,
    // Of the database's clock, which may be ahead of this one: nobody logged in after their token was issued.
    auth_time: Math.min(issuedAt, Math.floor(authenticatedAt.getTime() / 1000)),
    ...(first && nonce !== undefined && { nonce }),
    at_hash: accessTokenHash(accessToken, algorithm),
    acr: contextOf(methods, claims?.id_token?.acr),
    ...(methods.length > 0 && { amr: methods }),
    sid: sessionId,
    ...ofUser,
  })
}

/**
 * The claims about its user that an ID token has: those that the client wants there, those about groups and roles, and the organization in
 * which they act.
 * @param granted.organizationId that of the grant; undefined for none
 * @param granted.scope space-separated
 * @param granted.requested claims that were asked for one by one (OpenID Connect Core section 5.5)
 * @param granted.readBy the organization that reads them; undefined for none
 * @throws Refusal temporarily_unavailable
 */
export async function claimsInIdToken(
  client: Client,
  {
    userId,
    organizationId,
    scope,
    requested,
    readBy,
  }: { userId: string; organizationId: string | undefined } & Omit<WantedClaims, 'permitted'>,
  { findProfile, authority }: Pick<IdTokenRules, 'findProfile'> & Pick<IdTokenDeps, 'authority'>,
): Promise<Record<string, unknown>> {
  const ofScope = client.metadata.id_token_user_claims ? scope : ''
  const [ofUser, ofAuthority] = await Promise.all([
    claimsOfUser(userId, { scope: ofScope, requested, permitted: client.scope, readBy }, findProfile),
    authority.claimsAbout({ client, userId, organizationId, scope, requested, inToken: true }),
  ])
  return { ...ofUser, ...(organizationId !== undefined && { org_id: organizationId }), ...ofAuthority }
}

/**
 * The algorithm that signs a client's ID tokens and logout tokens.
 * @param algorithms those that are on
 */
export function idTokenAlgorithmOf(
  client: Client,
  algorithms: readonly KeyPairAlgorithm[],
): KeyPairAlgorithm {
  const wanted = client.metadata.id_token_signed_response_alg
  return algorithms.find((one) => one === wanted) ?? 'RS256'
}

/** The left half of the access token's hash, with the hash of the algorithm (OpenID Connect Core section 3.1.3.6). */
function accessTokenHash(accessToken: string, algorithm: KeyPairAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}

/** Claims of the user that the client wants in the ID token; all others come from the userinfo endpoint. */
async function claimsOfUser(
  userId: string,
  wanted: WantedClaims,
  findProfile: FindProfile,
): Promise<Record<string, unknown>> {
  if (wanted.scope === '' && !userClaims.some((name) => name in wanted.requested)) return {}
  const profile = await findProfile(userId)
  return profile ? pickUserClaims(profile, wanted) : {}
}
