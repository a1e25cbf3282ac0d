import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { AuthenticateUser } from '../grants/password.ts'
import type { FindProfile } from '../openid/user-claims.ts'

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

/** Finds users' profiles by calling the identity service. */
export function findProfileOver(
  rpc: Pick<RpcClient<typeof IdentityServiceService>, 'getUserClaims'>,
): FindProfile {
  return async (userId) => {
    const { users } = await rpc.getUserClaims({ userIds: [userId] })
    const [user] = users
    if (user?.updatedAt === undefined) return undefined
    const { username, attributes = {}, updatedAt, vouchedBy } = user
    return { username, attributes, updatedAt, vouchedBy }
  }
}
