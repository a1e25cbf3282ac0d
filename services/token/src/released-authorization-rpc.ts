import { Refusal } from '@gatehouse/kit/errors'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import { ConsentRule, type TokenServiceService } from '@gatehouse/proto/token/v1'
import { type CodeCreationDeps, createCode } from './authorization-code.ts'
import { type CheckedRequest, checkAuthorizationRequest } from './authorization-request.ts'
import { decideByClient } from './client-change.ts'
import type { TokenMetrics } from './metrics.ts'

const consentRules: Record<CheckedRequest['consent'], ConsentRule> = {
  not_needed: ConsentRule.CONSENT_RULE_NOT_NEEDED,
  remembered: ConsentRule.CONSENT_RULE_REMEMBERED,
  each_time: ConsentRule.CONSENT_RULE_EACH_TIME,
}

/**
 * The RPCs for gateways of release 0.2.0, which keep the authorization request themselves. The release after this one
 * removes them.
 */
export function releasedAuthorizationRpcs(
  deps: CodeCreationDeps,
  metrics: Pick<TokenMetrics, 'codeIssued'>,
): Pick<Handlers<typeof TokenServiceService>, 'checkAuthorizationRequest' | 'createAuthorizationCode'> {
  return {
    async checkAuthorizationRequest({ request }) {
      if (request === undefined) throw new Refusal('invalid_request')
      const { client, scope, consent } = await decideByClient([request], deps, () =>
        checkAuthorizationRequest(request, deps),
      )
      const { clientId, clientName } = client
      return { clientId, clientName, scope, consent: consentRules[consent] }
    },

    async createAuthorizationCode({ request, grantedAt, ...user }) {
      if (request === undefined) throw new Refusal('invalid_request')
      const code = await decideByClient([request], deps, async () => {
        const { client, scope } = await checkAuthorizationRequest(request, deps)
        const { redirectUri, codeChallenge } = request
        const grant = { client, redirectUri, scope, codeChallenge, resources: [], flowId: undefined }
        return createCode(grant, { ...user, seenAt: grantedAt }, deps)
      })
      metrics.codeIssued()
      return { code: code ?? '' }
    },
  }
}
