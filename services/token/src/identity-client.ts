import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { AuthenticateUser } from './grants/password.ts'

/** The identity service as the token service asks it. */
export function authenticateUserOver(rpc: RpcClient<typeof IdentityServiceService>): AuthenticateUser {
  return async (request) => {
    // A client's server is nobody's browser.
    const { outcome } = await rpc.authenticateUser({ ...request, knownBrowser: false })
    switch (outcome?.$case) {
      case 'user':
        return { outcome: 'user', userId: outcome.value.userId, username: outcome.value.username }
      case 'throttled':
        return { outcome: 'throttled', retryAfterSeconds: outcome.value.retryAfterSeconds }
      default:
        return { outcome: 'refused' }
    }
  }
}
