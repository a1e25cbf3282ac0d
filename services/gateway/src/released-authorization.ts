import { Refusal } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc-client'
import {
  type BeginAuthorizationRequest,
  type BeginAuthorizationResponse,
  ConsentRule,
  type TokenServiceService,
} from '@gatehouse/proto/token/v1'

/**
 * Begins an authorization request at a token service of 0.2.0, which does not store requests. Some of those may still run
 * during an upgrade: users who are logged in and have consented before notice nothing, all others are told to try again.
 * The next release removes this.
 * @throws Refusal temporarily_unavailable, or the error of an invalid request
 */
export async function beginAtReleased(
  { request, state, user }: BeginAuthorizationRequest,
  rpc: Pick<RpcClient<typeof TokenServiceService>, 'checkAuthorizationRequest' | 'createAuthorizationCode'>,
): Promise<BeginAuthorizationResponse> {
  const { scope, consent } = await rpc.checkAuthorizationRequest({ request })
  const allowed = new Set(user?.consented?.scope.split(' '))
  const remembered =
    consent === ConsentRule.CONSENT_RULE_REMEMBERED && scope.split(' ').every((word) => allowed.has(word))
  if (
    user === undefined ||
    request === undefined ||
    !(remembered || consent === ConsentRule.CONSENT_RULE_NOT_NEEDED)
  ) {
    throw new Refusal(
      'temporarily_unavailable',
      'This server is being upgraded. Please try again in a moment.',
    )
  }
  const { userId, username, seenAt: grantedAt } = user
  const { code } = await rpc.createAuthorizationCode({
    request: { ...request, scope },
    userId,
    username,
    grantedAt,
  })
  const { clientId, redirectUri } = request
  const value = { clientId, redirectUri, state, outcome: { $case: 'code' as const, value: code } }
  return { next: { step: { $case: 'respond', value } } }
}
