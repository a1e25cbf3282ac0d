import { auditedTransactions } from '@gatehouse/data/audit'
import { inTransaction } from '@gatehouse/data/in-transaction'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { appId, type FactorChangeStore, mostPasskeys } from '../../factors/factor-change.ts'
import type { FactorOwner, FactorPolicy } from '../../logins/second-factor.ts'
import { endMailLinks } from '../mail/mail-links.ts'
import type { MailWriter } from '../mail/mails.ts'
import { createEndSessions } from '../session-ends.ts'
import { type ChangingUser, lockChangingUser } from './factor-owners.ts'

type Transaction = Prisma.TransactionClient

/** How factors change. */
type FactorChangeOptions = {
  keepEvent: KeepEvent
  /** Whether the token service must be told of sessions that end: where OpenID Connect is on. */
  recorded: boolean
  /** OAUTH2_MFA */
  policy: FactorPolicy
  mails: MailWriter
}

/** The changes of factors in PostgreSQL. */
export function createFactorChangeStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, recorded, policy, mails }: FactorChangeOptions,
): FactorChangeStore {
  const tell: Tell = (transaction, userId, kind) =>
    mails.toUser(transaction, { kind, userId, content: { at: Date.now() } })

  const endSessions = createEndSessions(recorded)

  /**
   * Ends the sessions that may rest on a factor which is gone, all but the one in which it was removed, and the links that they may
   * have asked for.
   */
  async function endOthers(transaction: Transaction, { userId, sessionId }: ChangingUser): Promise<bigint[]> {
    await endMailLinks(transaction, userId)
    const which = { userId, ...(sessionId !== null && { exceptId: sessionId }) }
    return (await endSessions(transaction, which)).revocationIds
  }

  /** Does something in a transaction that has locked the owner's user. */
  const changing = <Result>(
    owner: FactorOwner,
    work: (transaction: Transaction, user: ChangingUser) => Promise<Result>,
  ): Promise<Result | 'not allowed'> =>
    inTransaction(database, async (transaction) => {
      const user = await lockChangingUser(transaction, owner, policy)
      return user ? work(transaction, user) : 'not allowed'
    })

  return {
    addPasskey: (owner, { transports, counter, ...passkey }, recoveryDigests) =>
      changing(owner, async (transaction, user) => {
        if (user.passkeys >= mostPasskeys) return 'too many'
        const { userId } = user
        const row = { ...bytesOf(passkey), userId, counter: BigInt(counter), transports: [...transports] }
        const { count } = await transaction.passkey.createMany({ data: [row], skipDuplicates: true })
        if (count === 0) return 'taken'
        await tell(transaction, userId, 'factor_added')
        return added(transaction, user, recoveryDigests)
      }),

    addApp: (owner, app, recoveryDigests) =>
      changing(owner, async (transaction, user) => {
        const count = await transaction.$executeRawUnsafe(
          addAppSql,
          user.userId,
          owner.digest,
          app.seed,
          app.step,
          app.kept,
        )
        if (count === 0) return 'unknown'
        await tell(transaction, user.userId, 'factor_added')
        const done = await added(transaction, user, recoveryDigests)
        // The app that it replaces may have been used to log in elsewhere.
        return user.app ? { ...done, revocationIds: await endOthers(transaction, user) } : done
      }),

    renamePasskey: (owner, id, name) =>
      changing(owner, async (transaction, { userId }) => {
        const { count } = await transaction.passkey.updateMany({ where: { id, userId }, data: { name } })
        return count === 0 ? 'unknown' : 'done'
      }),

    remove: (owner, id) =>
      changing(owner, async (transaction, user) => {
        const { userId, passkeys, app, required } = user
        const left = passkeys + Number(app) - 1
        const kind = id === appId ? 'totp' : 'passkey'
        if (!(await has(transaction, userId, id))) return 'unknown'
        if (left === 0 && required) return 'last factor'
        await deleteFactors(transaction, userId, id)
        await tell(transaction, userId, 'factor_removed')
        return { userId, kind, revocationIds: await endOthers(transaction, user) }
      }),

    renewRecoveryCodes: (owner, digests) =>
      changing(owner, async (transaction, { userId, passkeys, app }) => {
        if (passkeys === 0 && !app) return 'unknown'
        await replaceRecoveryCodes(transaction, userId, digests)
        return { userId }
      }),

    reset: resetting(database, { keepEvent, recorded, tell }),
  }
}

// The enrolment is used up, so a code confirms it once.
const addAppSql = `
  with enrolment as (
    delete from identity.totp_enrolments
    where user_id = $1::uuid and owner_digest = $2 and seed = $3 and expires_at > now()
    returning user_id
  )
  insert into identity.totp_factors as f (user_id, seed, last_step)
  select user_id, $5, $4::bigint from enrolment
  on conflict (user_id) do update set
    seed = excluded.seed, last_step = excluded.last_step, confirmed_at = now(), last_used_at = null`

function bytesOf<Passkey extends { credentialId: Buffer; publicKey: Buffer }>(passkey: Passkey) {
  return {
    ...passkey,
    credentialId: new Uint8Array(passkey.credentialId),
    publicKey: new Uint8Array(passkey.publicKey),
  }
}

/** Stores the recovery codes of a user's first factor. */
async function added(
  transaction: Transaction,
  { userId, passkeys, app }: ChangingUser,
  recoveryDigests: readonly Buffer[],
) {
  const first = passkeys === 0 && !app
  if (first) await replaceRecoveryCodes(transaction, userId, recoveryDigests)
  return { userId, first, revocationIds: [] }
}

async function replaceRecoveryCodes(
  transaction: Transaction,
  userId: string,
  digests: readonly Buffer[],
): Promise<void> {
  await transaction.recoveryCode.deleteMany({ where: { userId } })
  const data = digests.map((digest) => ({ userId, codeDigest: new Uint8Array(digest) }))
  await transaction.recoveryCode.createMany({ data })
}

async function has(transaction: Transaction, userId: string, id: string): Promise<boolean> {
  const where = { userId }
  const count =
    id === appId
      ? transaction.totpFactor.count({ where })
      : transaction.passkey.count({ where: { ...where, id } })
  return (await count) > 0
}

/**
 * Deletes factors of a locked user, and the pending logins in which they may have been proven just now: in this order, because a
 * login with a passkey alone begins its pending login where it uses the passkey.
 * @param id undefined for all
 * @returns the deleted factors, for the audit log
 */
async function deleteFactors(transaction: Transaction, userId: string, id: string | undefined) {
  const where = { userId }
  const none = { count: 0 }
  const passkeyId = id === undefined ? {} : { id }
  const passkeys =
    id === appId ? none : await transaction.passkey.deleteMany({ where: { ...where, ...passkeyId } })
  const apps = id === undefined || id === appId ? await transaction.totpFactor.deleteMany({ where }) : none
  const left = (await transaction.passkey.count({ where })) + (await transaction.totpFactor.count({ where }))
  if (left === 0) await transaction.recoveryCode.deleteMany({ where })
  await transaction.totpEnrolment.deleteMany({ where })
  await transaction.pendingLogin.deleteMany({ where })
  return { passkeys: passkeys.count, authenticator_app: apps.count === 1 }
}

/** Writes a mail that tells a user of a change. */
type Tell = (
  transaction: Transaction,
  userId: string,
  kind: 'factor_added' | 'factor_removed',
) => Promise<unknown>

/** The change that an administrator makes. */
function resetting(
  database: Pick<Database, 'prisma'>,
  { keepEvent, recorded, tell }: Pick<FactorChangeOptions, 'keepEvent' | 'recorded'> & { tell: Tell },
): FactorChangeStore['reset'] {
  const audited = auditedTransactions(database, 'identity', keepEvent)
  const endSessions = createEndSessions(recorded)
  return (userId, id, actor) =>
    audited(async (transaction, write) => {
      const users = await transaction.$queryRaw<unknown[]>`
        select id from identity.users where id = ${userId}::uuid for no key update`
      if (users.length === 0) return 'unknown user'
      if (id !== undefined && !(await has(transaction, userId, id))) return 'unknown'
      const before = await deleteFactors(transaction, userId, id)
      await write({ actor, action: 'user.factors.reset', target: userId, before })
      await endMailLinks(transaction, userId)
      await tell(transaction, userId, 'factor_removed')
      const { revocationIds } = await endSessions(transaction, { userId })
      return revocationIds
    })
}
