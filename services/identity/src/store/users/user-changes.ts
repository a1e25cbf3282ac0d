import { auditedTransactions } from '@gatehouse/data/audit'
import { holdReservation } from '@gatehouse/data/name-claims'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Database } from '@gatehouse/prisma/database'
import { changeAttributes } from '../../users/user-attributes.ts'
import { endsOwnership, type UserChange, type UserChangeStore } from '../../users/user-change.ts'
import { createEndAccess } from '../access-ends.ts'
import { roleColumns } from '../admin-roles.ts'
import { endMailLinks } from '../mail/mail-links.ts'
import type { MailWriter } from '../mail/mails.ts'
import { createEndSessions } from '../session-ends.ts'
import { deleteLockedUser, isLast, lockOwners, lockUser, type UserState } from './user-deletion.ts'
import { findUser } from './user-list.ts'

/**
 * The users in PostgreSQL, as administrators change them.
 * @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createUserChangeStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, recorded, mails }: { keepEvent: KeepEvent; recorded: boolean; mails: MailWriter },
): UserChangeStore {
  const endSessions = createEndSessions(recorded)
  const audited = auditedTransactions(database, 'identity', keepEvent)

  const endAccess = createEndAccess(recorded)

  return {
    create: ({ id, username, passwordHash, adminRole, attributes }, actor, reservation) =>
      audited(async (transaction, write) => {
        await holdReservation(transaction, 'identity', reservation)
        const { count } = await transaction.user.createMany({
          data: [{ id, username, passwordHash: passwordHash ?? null, ...roleColumns(adminRole), attributes }],
          skipDuplicates: true,
        })
        if (count === 0) return false
        const after = { username, admin_role: adminRole, ...attributes }
        await write({ actor, action: 'user.create', target: id, after })
        return true
      }),

    change: (userId, change, actor) =>
      audited(async (transaction, write) => {
        const owners = endsOwnership(change) ? await lockOwners(transaction) : []
        const user = await lockUser(transaction, userId)
        if (user === undefined) return 'unknown'
        if (isLast(userId, owners)) return 'last owner'
        if (change.revision !== undefined) {
          const seen = await findUser(transaction, userId)
          if (seen?.revision !== change.revision) return 'outdated'
        }
        const wanted = wantedBy(change, user)
        const { before, after } = differences(user, wanted)
        if (Object.keys(after).length > 0) {
          const columns = roleColumns(wanted.adminRole)
          const setsAddress = 'email' in after || 'email_verified' in after
          await transaction.$executeRaw`
            update identity.users set is_admin = ${columns.isAdmin}, admin_role = ${columns.adminRole}, updated_at = now(),
              disabled_at = case when ${wanted.disabled} then coalesce(disabled_at, now()) end,
              address_vouched_by = case when not ${setsAddress} then address_vouched_by end, attributes = new.attributes, attributes_updated_at =
                case when users.attributes = new.attributes then attributes_updated_at else now() end
            from (select ${JSON.stringify(wanted.attributes)}::jsonb as attributes) new
            where id = ${userId}::uuid`
          await write({ actor, action: 'user.update', target: userId, before, after })
        }
        const details = await findUser(transaction, userId)
        if (details === undefined) throw new Error('the locked user was not found')
        if (after.disabled || 'email' in after) await endMailLinks(transaction, userId)
        if (after.disabled) return { user: details, revocationIds: await endAccess(transaction, userId) }
        if (!after.admin_role) return { user: details, revocationIds: [] }
        // Tokens from before are not an administrator's: OAUTH2_MFA may demand a second factor that their logins lacked.
        const everything = { kind: 'user', target: userId } as const
        const revocationIds = [await addPendingRevocation(transaction, 'identity', everything)]
        return { user: details, revocationIds }
      }),

    setPassword: (userId, passwordHash, actor) =>
      audited(async (transaction, write) => {
        const { count } = await transaction.user.updateMany({ where: { id: userId }, data: { passwordHash } })
        if (count === 0) return 'unknown'
        await write({ actor, action: 'user.password.reset', target: userId })
        await endMailLinks(transaction, userId)
        await mails.toUser(transaction, { kind: 'password_changed', userId, content: { at: Date.now() } })
        return endAccess(transaction, userId)
      }),

    endSessions: (userId, sessionId, actor) =>
      audited(async (transaction, write) => {
        const user = await transaction.user.findUnique({ where: { id: userId }, select: { id: true } })
        if (user === null) return 'unknown'
        const { count, revocationIds } = await endSessions(transaction, { userId, sessionId })
        const before = sessionId === undefined ? { sessions: count } : { session_id: sessionId }
        const entry = { actor, action: 'user.sessions.end', target: userId, before }
        if (count > 0) await write(entry)
        // A session that ends may have asked for a link that changes the address.
        await endMailLinks(transaction, userId)
        return revocationIds
      }),

    delete: (userId, actor) =>
      audited(async (transaction, write) => {
        const owners = await lockOwners(transaction)
        const user = await lockUser(transaction, userId)
        if (user === undefined) return 'unknown'
        if (isLast(userId, owners)) return 'last owner'
        const { before, revocationIds } = await deleteLockedUser(transaction, userId, user, endAccess)
        await write({ actor, action: 'user.delete', target: userId, before })
        return revocationIds
      }),
  }
}

/** @throws Refusal invalid_request */
function wantedBy({ adminRole, disabled, attributes }: UserChange, user: UserState): UserState {
  return {
    ...user,
    adminRole: adminRole === undefined ? user.adminRole : adminRole,
    disabled: disabled ?? user.disabled,
    attributes: changeAttributes(user.attributes, attributes, 'administrators'),
  }
}

/** The fields and attributes that differ, as the audit log has them. */
function differences(user: UserState, wanted: UserState) {
  const [was, is] = [shown(user), shown(wanted)]
  const names = Object.keys({ ...was, ...is }).filter((name) => (was[name] ?? null) !== (is[name] ?? null))
  const only = (state: typeof was) => Object.fromEntries(names.map((name) => [name, state[name] ?? null]))
  return { before: only(was), after: only(is) }
}

function shown({ adminRole, disabled, attributes }: UserState): Record<string, unknown> {
  return { admin_role: adminRole, disabled, ...attributes }
}
