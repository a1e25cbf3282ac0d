import { readActor } from '@gatehouse/kit/actor'
import type { Handlers } from '@gatehouse/kit/rpc-server'
import {
  type IdentityServiceService,
  UserImportOutcome,
  type UserRecord as UserRecordMessage,
} from '@gatehouse/proto/identity/v1'
import { resetPassword } from './password-reset.ts'
import { createUser, deleteUser, endUserSessions, type UserChangeDeps, updateUser } from './user-change.ts'
import { type ImportOutcome, importUsers, type UserImportDeps } from './user-import.ts'
import { getUser, listUsers, type UserDetails, type UserListStore, type UserRecord } from './user-list.ts'

/** The domain functions' needs behind the administrators' RPCs. */
export type AdminRpcDeps = { list: UserListStore; changes: UserChangeDeps; imports: UserImportDeps }

type AdminMethod =
  | 'listUsers'
  | 'getUser'
  | 'createUser'
  | 'importUsers'
  | 'updateUser'
  | 'resetPassword'
  | 'endUserSessions'
  | 'deleteUser'

/** The RPCs with which administrators view and change users. */
export function adminRpcs({
  list,
  changes,
  imports,
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

    async importUsers({ users, actor, ...options }) {
      const results = await importUsers({ users, ...options }, readActor(actor), imports)
      return { results: results.map((result) => ({ ...result, outcome: outcomes[result.outcome] })) }
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

const outcomes: Record<ImportOutcome, UserImportOutcome> = {
  created: UserImportOutcome.USER_IMPORT_OUTCOME_CREATED,
  exists: UserImportOutcome.USER_IMPORT_OUTCOME_EXISTS,
  invalid: UserImportOutcome.USER_IMPORT_OUTCOME_INVALID,
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
