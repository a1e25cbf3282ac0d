import { isUnknownCall } from '@gatehouse/kit/errors'
import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IssueTokenRequest, TokenServiceService } from '@gatehouse/proto/token/v1'
import { withReleased } from './released-presented.ts'

/** The calls that issue tokens at token services of this release and of 0.7.0. */
export type ReleasedIssuing = Pick<RpcClient<typeof TokenServiceService>, 'issue' | 'issueUserTokens'>

/**
 * Issues tokens. During an upgrade a token service of release 0.7.0 may not know the call; there another one takes the same requests.
 * @returns the call; it throws what the called one throws
 */
export function orReleased(rpc: ReleasedIssuing): ReleasedIssuing['issue'] {
  return async (request, options) => {
    try {
      return await rpc.issue(request, options)
    } catch (error) {
      if (!isUnknownCall(error)) throw error
      const items = request.items.map((item) => withReleased<IssueTokenRequest>(item))
      return rpc.issueUserTokens({ ...request, items }, options)
    }
  }
}
