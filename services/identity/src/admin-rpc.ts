import { readActor } from '@gatehouse/kit/actor'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import type { IdentityServiceService, UserRecord as UserRecordMessage } from '@gatehouse/proto/identity/v1'
import { resetPassword } from './password-reset.ts'
import { createUser, deleteUser, endUserSessions, type UserChangeDeps, updateUser } from './user-change.ts'
import { getUser, listUsers, type UserDetails, type UserListStore, type UserRecord } from './user-list.ts'

/** The domain functions' needs behind the administrators' RPCs. */
export type AdminRpcDeps = { list: UserListStore; changes: UserChangeDeps }

type AdminMethod =
  | 'listUsers'
  | 'getUser'
  | 'createUser'
  | 'updateUser'
  | 'resetPassword'
  | 'endUserSessions'
  | 'deleteUser'

/** The RPCs with which administrators view and change users. */
export function adminRpcs({
  list,
  changes,
}: AdminRpcDeps): Pick<Handlers<typeof IdentityServiceService>, AdminMethod> {
  return {
    async listUsers(request) {
      const { items, nextCursor, total } = await listUsers(request, list)
      return { users: items.map((user) => recordMessage(user)), nextCursor, total: BigInt(total) }
    },

    async getUser({ userId }) {
      return { user: detailsMessage(await getUser(userId, list)) }
    },

    async createUser({ actor, ...user }) {
      const { id: userId, username, admin } = await createUser(user, readActor(actor), changes)
      return { user: { userId, username, admin } }
    },

    async updateUser({ actor, ...change }) {
      return { user: detailsMessage(await updateUser(change, readActor(actor), changes)) }
    },

    async resetPassword({ actor, ...reset }) {
      return { generatedPassword: await resetPassword(reset, readActor(actor), changes) }
    },

    async endUserSessions({ actor, ...which }) {
      await endUserSessions(which, readActor(actor), changes)
      return {}
    },

    async deleteUser({ userId, actor }) {
      await deleteUser(userId, readActor(actor), changes)
      return {}
    },
  }
}

function recordMessage({ id, ...user }: UserRecord): UserRecordMessage {
  return {
    ...user,
    userId: id,
    disabledAt: user.disabledAt,
    attributes: { ...user.attributes },
    socialAccounts: [],
  }
}

function detailsMessage({ socialAccounts, ...user }: UserDetails): UserRecordMessage {
  return { ...recordMessage(user), socialAccounts: [...socialAccounts] }
}
