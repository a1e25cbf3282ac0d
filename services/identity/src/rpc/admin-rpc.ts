import { type Actor, readActor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { type AdminRole, adminRoleNames, isAdminRole } from '@gatehouse/proto/administration'
import type { Actor as ActorMessage } from '@gatehouse/proto/audit/v1'
import {
  IdentityServiceService,
  UserImportOutcome,
  type UserRecord as UserRecordMessage,
} from '@gatehouse/proto/identity/v1'
import { resetPassword } from '../accounts/password-reset.ts'
import { type ImportOutcome, importUsers, type UserImportDeps } from '../accounts/user-import.ts'
import { type LoginUnlockStore, unlockUser } from '../logins/login-unlock.ts'
import { checkReach, refusePromotion } from '../users/limited-administrator.ts'
import {
  createUser,
  deleteUser,
  endUserSessions,
  type UserChangeDeps,
  updateUser,
} from '../users/user-change.ts'
import {
  getUser,
  listUsers,
  type UserDetails,
  type UserListStore,
  type UserRecord,
} from '../users/user-list.ts'
import { userMessage } from './session-rpc.ts'

/** The domain functions' needs behind the administrators' RPCs. */
export type AdminRpcDeps = {
  list: UserListStore
  changes: UserChangeDeps
  imports: UserImportDeps
  unlocks: LoginUnlockStore
}

/** The RPCs with which administrators view and change users. */
export function adminRpcs({ list, changes, imports, unlocks }: AdminRpcDeps) {
  /** The administrator who acts on a user. @throws Refusal as readActor and checkReach */
  async function reaching(userId: string, message: ActorMessage | undefined): Promise<Actor> {
    const actor = readActor(message)
    await checkReach(userId, actor, list)
    return actor
  }

  return handlersOf(IdentityServiceService, {
    async listUsers(request) {
      const { items, nextCursor, total } = await listUsers(request, list)
      return { users: items.map((user) => recordMessage(user)), nextCursor, total: BigInt(total) }
    },

    async getUser({ userId }) {
      return { user: detailsMessage(await getUser(userId, list)) }
    },

    async createUser({ actor: sent, admin, adminRole: role, ...user }) {
      const actor = readActor(sent)
      const adminRole = readRole(role, admin) ?? null
      refusePromotion(actor, adminRole !== null)
      return { user: userMessage(await createUser({ ...user, adminRole }, actor, changes)) }
    },

    async importUsers({ users, actor: sent, ...options }) {
      const actor = readActor(sent)
      refusePromotion(actor, options.allowAdmins)
      const results = await importUsers({ users, ...options }, actor, imports)
      return { results: results.map((result) => ({ ...result, outcome: outcomes[result.outcome] })) }
    },

    async updateUser({ actor, admin, adminRole: role, ...unchecked }) {
      const change = { ...unchecked, adminRole: readRole(role, admin) }
      const administrator = await reaching(change.userId, actor)
      refusePromotion(administrator, Boolean(change.adminRole))
      return { user: detailsMessage(await updateUser(change, administrator, changes)) }
    },

    async resetPassword({ actor, ...reset }) {
      const administrator = await reaching(reset.userId, actor)
      return { generatedPassword: await resetPassword(reset, administrator, changes) }
    },

    async endUserSessions({ actor, ...which }) {
      await endUserSessions(which, await reaching(which.userId, actor), changes)
      return {}
    },

    async unlockUser({ userId, actor }) {
      await unlockUser(userId, await reaching(userId, actor), { unlocks, users: list })
      return {}
    },

    async deleteUser({ userId, actor }) {
      await deleteUser(userId, await reaching(userId, actor), changes)
      return {}
    },
  })
}

const outcomes: Record<ImportOutcome, UserImportOutcome> = {
  created: UserImportOutcome.USER_IMPORT_OUTCOME_CREATED,
  exists: UserImportOutcome.USER_IMPORT_OUTCOME_EXISTS,
  invalid: UserImportOutcome.USER_IMPORT_OUTCOME_INVALID,
}

/**
 * Reads the role that a caller names.
 * @param role empty: no role
 * @param admin the API's field `admin`, for callers that name no role
 * @returns undefined when the caller says nothing of it
 * @throws Refusal invalid_request for an unknown role
 */
function readRole(role: string | undefined, admin?: boolean): AdminRole | null | undefined {
  if (role === undefined) return admin === undefined ? undefined : admin ? 'owner' : null
  if (role === '') return null
  if (isAdminRole(role)) return role
  throw new Refusal('invalid_request', `admin_role must be one of ${adminRoleNames.join(', ')}.`)
}

function recordMessage({ id, adminRole, ...user }: UserRecord): UserRecordMessage {
  return {
    ...user,
    userId: id,
    admin: adminRole === 'owner',
    adminRole: adminRole ?? undefined,
    disabledAt: user.disabledAt,
    attributes: { ...user.attributes },
    columns: { ...user.columns },
    socialAccounts: [],
  }
}

function detailsMessage({ socialAccounts, revision, ...user }: UserDetails): UserRecordMessage {
  return { ...recordMessage(user), socialAccounts: [...socialAccounts], revision }
}
