import { hash } from 'node:crypto'
import { Refusal } from '@gatehouse/kit/errors'
import type { Authority } from '../authority/authority.ts'
import { unconcerned } from '../authority/judgement.ts'
import type {
  AuthorizationCodeStore,
  Redemption,
  UnredeemedCode,
} from '../authorization/authorization-code.ts'
import { type Client, isPublic } from '../clients/client-authentication.ts'
import { ClientChanged } from '../clients/client-change.ts'
import type { ResourceIndicators, Target } from '../clients/resource-indicators.ts'
import { digestOf } from '../keys/digest.ts'
import { type IdTokenDeps, idTokenFor } from '../openid/id-token.ts'
import { neededOrganization, wrongOrganization } from '../organizations/organization-of-grant.ts'
import type { IssuedToken } from '../tokens/issued-token.ts'
import type { Grant, GrantRequest } from './grant.ts'
import { hasResources, type OtherResources, useGrant } from './granted-resources.ts'
import { judgeGrant } from './judged-grant.ts'
import { requireParameters } from './parameters.ts'
import { endReusedGrant, type ReuseDeps } from './reuse.ts'
import { answerWith, tokensOfNewGrant, type UserTokenDeps } from './user-tokens.ts'

const grantType = 'authorization_code'

/** The needs of redeeming a code. */
export type AuthorizationCodeGrantDeps = UserTokenDeps &
  IdTokenDeps &
  ReuseDeps & {
    codes: Pick<AuthorizationCodeStore, 'redeem' | 'inspect' | 'findGrant'>
    resourceIndicators: ResourceIndicators
    authority: Authority
  }

/** RFC 7636 section 4.1. */
const verifierPattern = /^[\w.~-]{43,128}$/

/**
 * Issues the tokens of an authorization code, once. A request with a wrong verifier or redirect URI does not use the code up.
 * A replay revokes everything that was issued for the code (RFC 6749 section 4.1.2), because two parties have it. That also
 * applies when two requests race: the winner's tokens are revoked.
 * @throws Refusal invalid_request, invalid_grant, invalid_target, temporarily_unavailable
 */
async function issue(
  client: Client,
  { parameters, resources, proof }: GrantRequest,
  deps: AuthorizationCodeGrantDeps,
): Promise<IssuedToken> {
  const { code = '', code_verifier: codeVerifier = '', redirect_uri: redirectUri } = parameters
  // A client that need not use PKCE (RFC 7636) sends no verifier, but only a code that was requested without it accepts that.
  const exempt = deps.idTokens && !isPublic(client) && client.metadata.require_pkce === false
  requireParameters(exempt ? { code } : { code, code_verifier: codeVerifier })
  const codeChallenge = codeVerifier === '' ? undefined : challengeOf(codeVerifier)
  const organization = neededOrganization(client, parameters.organization, deps.authority.organizations)
  const presented = { digest: digestOf(code), codeChallenge, redirectUri, organization, proof }
  return useGrant(resources, client, deps, (target) => redeem(presented, { client, target }, deps))
}

/** Redeems a code for a target, or says which resource servers it was given for instead. */
async function redeem(
  presented: Omit<Redemption, 'client'>,
  { client, target }: { client: Client; target: Target },
  deps: AuthorizationCodeGrantDeps,
): Promise<IssuedToken | OtherResources> {
  const { clientId } = client
  const find = () => deps.codes.findGrant(presented.digest, clientId)
  const wanted = { asked: undefined, organization: presented.organization }
  const judged = await judgeGrant(find, wanted, { client, target }, deps)
  const isNothing = 'nothing' in judged
  const { scope: judgedScope, authority } = isNothing ? unconcerned('') : judged
  const redemption = { ...presented, client: { ...client, scope: judgedScope } }
  const tokens = tokensOfNewGrant({ client, target, authority }, deps)
  const granted = isNothing ? undefined : await deps.codes.redeem(redemption, tokens.stored)
  if (granted) {
    const { user, scope } = granted.grant
    const { userId } = user
    deps.emit('authorization_code_validated', { userId, clientId, metadata: { scope } })
    const answer = await answerWith(tokens, granted, { client, grantType }, deps)
    return {
      ...answer,
      idToken: await idTokenFor(client, answer, { grant: granted.grant, first: true }, deps),
    }
  }
  // Somebody who repeats a request learns nothing by it, and ends nothing.
  if (redemption.proof) await deps.proofs.spend(redemption.proof)
  const unredeemed = await deps.codes.inspect(redemption)
  // Anybody can send a public client's id. Only the code_verifier proves that the replay comes from somebody with its secrets.
  if (unredeemed?.redeemed && (!isPublic(client) || unredeemed.verifierMatches)) {
    await endReusedGrant(unredeemed.grantId, deps)
  }
  if (unredeemed?.clientChanged && !unredeemed.redeemed) throw new ClientChanged()
  if (unredeemed?.expired && !unredeemed.redeemed)
    deps.emit('authorization_code_expired', { clientId, metadata: {} })
  const reason = reasonOf(unredeemed)
  if (reason === undefined && unredeemed && !hasResources(unredeemed.resources, target))
    return { grantedResources: unredeemed.resources }
  const nothingLeft = isNothing ? judged.nothing : 'the client may no longer have anything of the scope'
  const detail = reason ?? nothingLeft
  throw new Refusal('invalid_grant', undefined, { detail })
}

/** The grant of a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5). */
export const authorizationCode: Grant<AuthorizationCodeGrantDeps> = { issue }

/** The S256 challenge of a verifier. A malformed verifier gives a text that matches no code. */
function challengeOf(codeVerifier: string): string {
  return verifierPattern.test(codeVerifier) ? hash('sha256', codeVerifier, 'base64url') : 'malformed'
}

function reasonOf(code: UnredeemedCode | undefined): string | undefined {
  if (code === undefined) return 'the client has no such code'
  if (code.redeemed) return 'the code was redeemed before'
  if (code.expired) return 'the code has expired'
  if (code.revoked) return 'the grant is revoked'
  if (!code.verifierMatches) return 'the code_verifier is wrong'
  if (!code.redirectUriMatches) return 'the redirect_uri is not that of the authorization request'
  if (!code.redirectUriRegistered) return 'the redirect_uri is no longer registered for the client'
  if (!code.organizationFits) return wrongOrganization
  return undefined
}
