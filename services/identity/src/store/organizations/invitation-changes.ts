import { randomUUIDv7 } from 'node:crypto'
import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import type { Actor } from '@gatehouse/kit/actor'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { organizationLimits } from '@gatehouse/proto/organizations'
import type { ActingMember } from '../../organizations/acting.ts'
import type { Invitation } from '../../organizations/invitation.ts'
import type { InvitationChangeStore, NewInvitation, NotSent } from '../../organizations/invitation-change.ts'
import { hasRoleSql } from '../admin-roles.ts'
import { closeMails } from '../mail/closed-mails.ts'
import { inviterMaySql } from '../mail/invited-addresses.ts'
import { type MailWriter, mayMailTo } from '../mail/mails.ts'
import { type InvitationRow, invitationColumns, toInvitation } from './invitations.ts'
import { lockOrganization } from './locked-organization.ts'

type Transaction = Prisma.TransactionClient

/** An invitation that is stored, whatever has become of its link. */
type StoredInvitation = InvitationRow & {
  mailId: string | null
  language: string
  invitedById: string | null
  inviterMay: boolean
}

/** The invitations in PostgreSQL, as members and administrators change them. */
export function createInvitationChangeStore(
  database: Pick<Database, 'prisma'>,
  { keepEvent, mails }: { keepEvent: KeepEvent; mails: MailWriter },
): InvitationChangeStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  /** Writes the mail of an invitation. Nothing else may refuse it afterwards: what is counted here stays counted. */
  async function writeMail(
    transaction: Transaction,
    organizationId: string,
    { address, language }: Pick<NewInvitation, 'address' | 'language'>,
    inviter: string,
  ): Promise<{ mailId: string | null } | NotSent> {
    if (!(await mayMailTo(transaction, address, ['organization_invitation']))) return 'too many mails'
    if (!(await countMail(transaction, organizationId))) return 'too many today'
    const { name } = await transaction.organization.findUniqueOrThrow({ where: { organizationId } })
    const mailId = await mails.toAddress(transaction, {
      kind: 'organization_invitation',
      userId: undefined,
      recipient: address,
      language,
      content: { organization: name, inviter },
    })
    return { mailId: mailId ?? null }
  }

  return {
    invite: (organizationId, invitation, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        const organization = await lock(transaction, organizationId, actingMember)
        if (organization === undefined) return 'unknown'
        const { address, role, roles, language } = invitation
        const isAdministrator = await isOfAdministrator(transaction, address)
        check(organization, { role, isAdministrator })
        if (await isMember(transaction, organizationId, address)) return 'member'
        const earlier = await findByAddress(transaction, organizationId, address)
        if (earlier) check(organization, { role: earlier.role, isAdministrator })
        if (earlier === undefined && (await isFull(transaction, organizationId))) return 'too many open'
        const written = await writeMail(transaction, organizationId, invitation, mailNameOf(actor))
        if (typeof written === 'string') return written
        if (earlier) await remove(transaction, earlier, 'replaced')
        const created = await transaction.organizationInvitation.create({
          data: {
            ...{ organizationId, address, role, language, ...written, ...inviterOf(actor, actingMember) },
            invitationId: randomUUIDv7(),
            roles: roles.map(({ resourceId, ...one }) => ({ resource_id: resourceId, ...one })),
            expiresAt: inAWeek(),
          },
        })
        const after = {
          slug: organization.slug,
          email: address,
          role,
          ...(roles.length > 0 && { roles: [...roles] }),
        }
        await write({ actor, action: 'organization.invite', target: organizationId, after })
        return stored(transaction, created)
      }),

    sendAgain: (organizationId, invitationId, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        const organization = await lock(transaction, organizationId, actingMember)
        if (organization === undefined) return 'unknown'
        const found = await find(transaction, organizationId, invitationId)
        const isAdministrator = found !== undefined && (await isOfAdministrator(transaction, found.address))
        // Before it is said whether there is one: those who may not see invitations do not learn it.
        check(organization, { role: found?.role ?? 'member', isAdministrator })
        if (found === undefined) return 'no invitation'
        const { address } = found
        if (await isMember(transaction, organizationId, address)) return 'member'
        const inviter = found.inviterMay ? {} : inviterOf(actor, actingMember)
        const name = found.inviterMay ? found.invitedBy : mailNameOf(actor)
        const written = await writeMail(transaction, organizationId, found, name)
        if (typeof written === 'string') return written
        if (found.mailId !== null) await closeMails(transaction, [found.mailId], 'replaced')
        const changed = await transaction.organizationInvitation.update({
          where: { invitationId },
          data: { ...written, ...inviter, sentAt: new Date(), expiresAt: inAWeek() },
        })
        await write({
          ...{ actor, action: 'organization.invitation.resend', target: organizationId },
          after: { slug: organization.slug, email: address },
        })
        return stored(transaction, changed)
      }),

    withdraw: (organizationId, invitationId, actor, check, actingMember) =>
      audited(async (transaction, write) => {
        const organization = await lock(transaction, organizationId, actingMember)
        if (organization === undefined) return 'unknown'
        const found = await find(transaction, organizationId, invitationId)
        check(organization, { role: found?.role ?? 'member' })
        if (found === undefined) return 'no invitation'
        await remove(transaction, found, 'withdrawn')
        await write({
          ...{ actor, action: 'organization.invitation.withdraw', target: organizationId },
          before: { slug: organization.slug, email: found.address, role: found.role },
        })
        return 'withdrawn'
      }),
  }
}

const lock = (transaction: Transaction, organizationId: string, actingMember: ActingMember) =>
  lockOrganization(transaction, organizationId, 'against other changes', actingMember)

const inAWeek = () => new Date(Date.now() + 7 * 86_400_000)

/** The name in a mail. A client that acts for itself has none that people know. */
function mailNameOf({ kind, name }: Actor): string {
  return kind === 'user' ? name : ''
}

function inviterOf({ name, limited = false }: Actor, actingMember: ActingMember) {
  return { invitedBy: actingMember ?? null, inviterName: name, inviterLimited: limited }
}

/** The condition that a user u has the address $1, verified. */
const hasAddressSql = `lower(u.attributes ->> 'email') = lower($1) and u.attributes -> 'email_verified' = 'true'::jsonb`

async function isMember(transaction: Transaction, organizationId: string, address: string): Promise<boolean> {
  const rows = await transaction.$queryRawUnsafe<unknown[]>(
    `select 1 from identity.users u join identity.organization_members m on m.user_id = u.id
    where ${hasAddressSql} and m.organization_id = $2 limit 1`,
    address,
    organizationId,
  )
  return rows.length > 0
}

async function isOfAdministrator(transaction: Transaction, address: string): Promise<boolean> {
  const rows = await transaction.$queryRawUnsafe<unknown[]>(
    `select 1 from identity.users u where ${hasAddressSql} and ${hasRoleSql('u')} limit 1`,
    address,
  )
  return rows.length > 0
}

async function isFull(transaction: Transaction, organizationId: string): Promise<boolean> {
  const open = await transaction.organizationInvitation.count({
    where: { organizationId, expiresAt: { gt: new Date() } },
  })
  return open >= organizationLimits.invitations
}

/** Counts a mail of today. @returns false when the organization has sent as many as it may */
async function countMail(transaction: Transaction, organizationId: string): Promise<boolean> {
  const counted = await transaction.$executeRaw`
    update identity.organizations o set invitation_day = today.day,
      invitation_mails = case when o.invitation_day = today.day then o.invitation_mails + 1 else 1 end
    from (select (now() at time zone 'utc')::date as day) today
    where o.organization_id = ${organizationId}
      and (o.invitation_day is distinct from today.day or o.invitation_mails < ${organizationLimits.invitationMailsInDay}::int)`
  return counted === 1
}

const findSql = `
  select ${invitationColumns}, i.mail_id as "mailId", i.language, ${inviterMaySql} as "inviterMay"
  from identity.organization_invitations i where i.organization_id = $1`

async function find(transaction: Transaction, organizationId: string, invitationId: string) {
  const [found] = await transaction.$queryRawUnsafe<StoredInvitation[]>(
    `${findSql} and i.invitation_id = $2::uuid for update of i`,
    organizationId,
    invitationId,
  )
  return found
}

async function findByAddress(transaction: Transaction, organizationId: string, address: string) {
  const [found] = await transaction.$queryRawUnsafe<StoredInvitation[]>(
    `${findSql} and lower(i.address) = lower($2) for update of i`,
    organizationId,
    address,
  )
  return found
}

/** Ends an invitation with its link. */
async function remove(
  transaction: Transaction,
  { invitationId, mailId }: Pick<StoredInvitation, 'invitationId' | 'mailId'>,
  how: 'replaced' | 'withdrawn',
): Promise<void> {
  await transaction.organizationInvitation.delete({ where: { invitationId } })
  if (mailId !== null) await closeMails(transaction, [mailId], how)
}

async function stored(
  transaction: Transaction,
  { invitationId, organizationId }: { invitationId: string; organizationId: string },
): Promise<Invitation> {
  const found = await find(transaction, organizationId, invitationId)
  if (found === undefined) throw new Error('the invitation is gone')
  return toInvitation(found)
}
