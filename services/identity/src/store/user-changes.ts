import { auditedTransactions } from '@gatehouse/data/audit'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import type { Emit } from '@gatehouse/kit/emission'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { UserChange, UserChangeStore } from '../user-change.ts'
import { findUser } from './user-list.ts'

type Transaction = Prisma.TransactionClient

type UserState = { username: string; admin: boolean; disabled: boolean }

/** The users in PostgreSQL, as administrators change them. */
export function createUserChangeStore(database: Pick<Database, 'prisma'>, emit: Emit): UserChangeStore {
  const inTransaction = auditedTransactions(database, 'identity', emit)

  return {
    create: ({ id, username, passwordHash, admin }, actor) =>
      inTransaction(async (transaction, write) => {
        const { count } = await transaction.user.createMany({
          data: [{ id, username, passwordHash: passwordHash ?? null, isAdmin: admin }],
          skipDuplicates: true,
        })
        if (count === 0) return false
        const after = { username, admin }
        await write({ actor, action: 'user.create', target: id, after })
        return true
      }),

    change: (userId, change, actor) =>
      inTransaction(async (transaction, write) => {
        const removes = change.disabled === true || change.admin === false
        const administrators = removes ? await lockAdministrators(transaction) : []
        const user = await lock(transaction, userId)
        if (user === undefined) return 'unknown'
        if (isLast(userId, administrators)) return 'last administrator'
        const { before, after } = differences(user, change)
        const changed = Object.keys(after).length > 0
        if (changed) {
          await transaction.$executeRaw`
            update identity.users set is_admin = ${after.admin ?? user.admin}, updated_at = now(),
              disabled_at = case when ${after.disabled ?? user.disabled} then coalesce(disabled_at, now()) end
            where id = ${userId}::uuid`
          await write({ actor, action: 'user.update', target: userId, before, after })
        }
        const details = await findUser(transaction, userId)
        if (details === undefined) throw new Error('a user is there while the row is locked')
        const revocationId = after.disabled ? await shutOut(transaction, userId) : undefined
        return { user: details, revocationId }
      }),

    setPassword: (userId, passwordHash, actor) =>
      inTransaction(async (transaction, write) => {
        const { count } = await transaction.user.updateMany({ where: { id: userId }, data: { passwordHash } })
        if (count === 0) return 'unknown'
        await write({ actor, action: 'user.password.reset', target: userId })
        return shutOut(transaction, userId)
      }),

    endSessions: (userId, sessionId, actor) =>
      inTransaction(async (transaction, write) => {
        const user = await transaction.user.findUnique({ where: { id: userId }, select: { id: true } })
        if (user === null) return false
        const where = sessionId === undefined ? { userId } : { userId, id: sessionId }
        const { count } = await transaction.session.deleteMany({ where })
        const before = sessionId === undefined ? { sessions: count } : { session_id: sessionId }
        const entry = { actor, action: 'user.sessions.end', target: userId, before }
        if (count > 0) await write(entry)
        return true
      }),

    delete: (userId, actor) =>
      inTransaction(async (transaction, write) => {
        const administrators = await lockAdministrators(transaction)
        const before = await lock(transaction, userId)
        if (before === undefined) return 'unknown'
        if (isLast(userId, administrators)) return 'last administrator'
        // First, while the lock lets consents through: one that is being answered has locked its question and needs the
        // user, and deleting the user first would need the question.
        await transaction.session.deleteMany({ where: { userId } })
        await transaction.user.delete({ where: { id: userId } })
        // After the user: a login that is being recorded holds the user's row, and is seen from here on.
        await transaction.loginAttempt.deleteMany({ where: { userId } })
        await write({ actor, action: 'user.delete', target: userId, before })
        return addPendingRevocation(transaction, 'identity', {
          kind: 'user',
          target: userId,
          until: 'for ever',
        })
      }),
  }
}

/**
 * Locks all active administrators, always in this order and before any other user: of two who are to go at once, the second
 * waits here, and does not find the first any more.
 */
async function lockAdministrators(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    select id from identity.users where is_admin and disabled_at is null order by id for no key update`
  return rows.map(({ id }) => id)
}

function isLast(userId: string, administrators: readonly string[]): boolean {
  return administrators.length === 1 && administrators[0] === userId
}

/** Keeps everybody else from changing a user, and the user from logging in, until the transaction ends. */
async function lock(transaction: Transaction, userId: string): Promise<UserState | undefined> {
  const [user] = await transaction.$queryRaw<UserState[]>`
    select username, is_admin as admin, disabled_at is not null as disabled
    from identity.users where id = ${userId}::uuid for no key update`
  return user
}

function differences(user: UserState, change: UserChange) {
  const before: Partial<UserState> = {}
  const after: Partial<UserState> = {}
  for (const name of ['disabled', 'admin'] as const) {
    const wanted = change[name]
    if (wanted === undefined || wanted === user[name]) continue
    before[name] = user[name]
    after[name] = wanted
  }
  return { before, after }
}

/** Ends a user's sessions and writes down the revocation of their tokens, after the row was changed. */
async function shutOut(transaction: Transaction, userId: string): Promise<bigint> {
  // A statement of its own: it sees the sessions of logins that the one before waited for.
  await transaction.session.deleteMany({ where: { userId } })
  return addPendingRevocation(transaction, 'identity', { kind: 'user', target: userId })
}
