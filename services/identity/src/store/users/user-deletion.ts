import type { Prisma } from '@gatehouse/prisma/database'
import type { AdminRole } from '@gatehouse/proto/administration'
import { attributesOf, type StoredAttributes } from '../../users/user-attributes.ts'
import type { EndAccess } from '../access-ends.ts'
import { adminRoleSql } from '../admin-roles.ts'
import { closeMails } from '../mail/closed-mails.ts'

type Transaction = Prisma.TransactionClient

/** A locked user. */
export type UserState = {
  username: string
  adminRole: AdminRole | null
  disabled: boolean
  attributes: StoredAttributes
}

/**
 * Locks all active owners, always in this order and before any other user. When two of them are disabled, demoted or
 * deleted at once, the second transaction waits here and no longer finds the first one.
 * @returns their ids
 */
export async function lockOwners(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    select id from identity.users where is_admin and disabled_at is null order by id for no key update`
  return rows.map(({ id }) => id)
}

/** Whether a user is the last active owner. @param owners those who are locked */
export function isLast(userId: string, owners: readonly string[]): boolean {
  return owners.length === 1 && owners[0] === userId
}

const lockSql = {
  'against other changes': 'for no key update',
  'for deletion': 'for update',
} as const

/**
 * Locks a user until the transaction ends: nobody else can change them, and they cannot log in.
 * @param how `for deletion`: nobody who gives them something locks them either
 */
export async function lockUser(
  transaction: Transaction,
  userId: string,
  how: keyof typeof lockSql = 'against other changes',
): Promise<UserState | undefined> {
  const [user] = await transaction.$queryRawUnsafe<UserState[]>(
    `select username, ${adminRoleSql('u')} as "adminRole", disabled_at is not null as disabled, attributes
    from identity.users u where id = $1::uuid ${lockSql[how]}`,
    userId,
  )
  return user
}

/**
 * Deletes a locked user with all of their data, and records a pending revocation that also covers tokens issued later.
 * @returns the user's state for the audit log, and the ids of the pending revocations
 */
export async function deleteLockedUser(
  transaction: Transaction,
  userId: string,
  { username, adminRole, disabled, attributes }: UserState,
  endAccess: EndAccess,
): Promise<{ before: object; revocationIds: bigint[] }> {
  // Before the user, with whom the sessions would go unnoticed. Nobody can log in as them: their row is locked.
  const revocationIds = await endAccess(transaction, userId, 'for ever')
  await transaction.user.delete({ where: { id: userId } })
  const { email, email_verified: verified } = attributesOf(attributes)
  // Before the mails are deleted: whoever withdraws an invitation locks it, then its links, then its mails.
  await withdrawInvitations(transaction, userId, verified ? email : undefined)
  await transaction.mail.deleteMany({ where: { userId } })
  // The mails from before there was an account, such as the one to sign up. An address that is not verified may be anybody's.
  if (email !== undefined && verified)
    await transaction.$executeRaw`
      delete from identity.mails where user_id is null and lower(recipient) = lower(${email}) and state <> 'waiting'`
  // After the user, because a login that is being recorded locks the user's row: once that lock is released, this
  // statement sees the login.
  await transaction.loginAttempt.deleteMany({ where: { userId } })
  // Without the attributes: what is deleted should not live on in the audit log.
  return { before: { username, admin_role: adminRole, disabled }, revocationIds }
}

/**
 * Deletes the invitations to organizations that a user sent, and those of their address, with their links.
 * @param address the user's verified address
 */
async function withdrawInvitations(
  transaction: Transaction,
  userId: string,
  address: string | undefined,
): Promise<void> {
  // In the order in which they are locked when an organization is deleted.
  const invitations = await transaction.$queryRaw<{ id: string; mailId: string | null }[]>`
    select invitation_id as id, mail_id as "mailId" from identity.organization_invitations
    where invited_by = ${userId}::uuid or lower(address) = lower(${address ?? null}::text)
    order by invitation_id for update`
  const ids = invitations.map(({ id }) => id)
  await transaction.organizationInvitation.deleteMany({ where: { invitationId: { in: ids } } })
  const mailIds = invitations.flatMap(({ mailId }) => (mailId === null ? [] : [mailId]))
  await closeMails(transaction, mailIds, 'withdrawn')
}
