import { refusalOf } from '@gatehouse/kit/rpc/batch-items'
import { type Call, handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import type { TracedMethod } from '@gatehouse/kit/rpc/trace-rpc'
import {
  type IssueTokenRequest,
  type TokenResult,
  TokenServiceService as tokenService,
} from '@gatehouse/proto/token/v1'

type IssueEach = (
  items: readonly IssueTokenRequest[],
  method: TracedMethod,
  call: Call,
) => Promise<TokenResult[]>

/** Answers gateways of release 0.7.0, which call by the kind of the grant. */
export function releasedIssuing(issueEach: IssueEach) {
  return handlersOf(tokenService, {
    async issueTokens({ items }, call) {
      const requests = items.map(({ scope, ipAddress = '', ...item }) => ({
        ...{ ...item, ipAddress },
        ...{ grantType: 'client_credentials', parameters: { scope } },
      }))
      return { results: await issueEach(requests, tokenService.issueTokens, call) }
    },

    async issueUserTokens({ items }, call) {
      return { results: await issueEach(items, tokenService.issueUserTokens, call) }
    },

    async issueToken(request, call) {
      const [result] = await issueEach([request], tokenService.issueToken, call)
      const outcome = result?.outcome
      if (outcome?.$case === 'token') return { token: outcome.value }
      throw refusalOf(outcome?.value)
    },
  })
}
