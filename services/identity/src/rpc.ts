import { type Implementation, implement } from '@gatehouse/kit/rpc-server'
import { IdentityServiceService as identityService } from '@gatehouse/proto/identity/v1'
import { authenticateUser } from './authentication.ts'
import type { UserStore } from './user.ts'

/** The identity service's RPCs. */
export function identityRpcs(store: UserStore): Implementation {
  return implement(identityService, {
    async authenticateUser({ username, password }) {
      const user = await authenticateUser(username, password, store)
      return { user: user && { userId: user.id, username: user.username, admin: user.admin } }
    },
  })
}
