import type { RpcClient } from '@gatehouse/kit/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { AuthenticateUser } from './grants/password.ts'

/** Authenticates users by calling the identity service. */
export function authenticateUserOver(rpc: RpcClient<typeof IdentityServiceService>): AuthenticateUser {
  return async (request) => {
    // The request comes from a client, not from a browser that the user has logged in with.
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
