import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { type MemberRole, memberRoleNames, organizationLimits } from '@gatehouse/proto/organizations'
import type {
  Invitation,
  InvitationProblem,
  InvitationStore,
  InvitedRole,
} from '../../organizations/invitation.ts'
import type { OrganizationStore } from '../../organizations/organization.ts'
import { attributesOf, type StoredAttributes } from '../../users/user-attributes.ts'
import { hasRoleSql } from '../admin-roles.ts'
import { closeMails } from '../mail/closed-mails.ts'
import { openInvitationSql } from '../mail/invited-addresses.ts'
import { giveInvitedRoles } from './invited-roles.ts'
import { lockOrganization } from './locked-organization.ts'

type Transaction = Prisma.TransactionClient

/** The columns of an invitation i. */
export const invitationColumns = `
  i.invitation_id as "invitationId", i.organization_id as "organizationId", i.address, i.role, i.roles,
  i.inviter_name as "invitedBy", i.created_at as "createdAt", i.sent_at as "sentAt", i.expires_at as "expiresAt"`

/** A row with these columns. */
export type InvitationRow = Omit<Invitation, 'roles'> & {
  roles: { resource_id: string; resource: string; role: string }[]
}

/** An invitation of a row. */
export function toInvitation({ roles, ...invitation }: InvitationRow): Invitation {
  return {
    ...invitation,
    roles: roles.map(({ resource_id: resourceId, ...role }) => ({ resourceId, ...role })),
  }
}

const findSql = `
  select ${invitationColumns}, exists (
    select from identity.users k
    where lower(k.attributes ->> 'email') = lower(i.address) and k.attributes -> 'email_verified' = 'true'::jsonb
  ) as "addressKnown" ${openInvitationSql}`

type Accepted = { organizationId: string } | { problem: InvitationProblem }

type OpenInvitation = InvitationRow & { mailId: string; byMember: boolean; inviterLimited: boolean }

/** The invitations in PostgreSQL, as people read and accept them. */
export function createOrganizationInvitationStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  { keepEvent, organizations }: { keepEvent: KeepEvent; organizations: Pick<OrganizationStore, 'get'> },
): InvitationStore {
  const { pool } = database
  const audited = auditedTransactions(database, 'identity', keepEvent)

  return {
    async list(organizationId, { invitationId, after }, limit) {
      const { rows } = await translateDatabaseErrors(
        pool.query<InvitationRow>(
          `select ${invitationColumns} from identity.organization_invitations i
          where i.organization_id = $1 and ($2::uuid is null or i.invitation_id < $2::uuid)
            and ($3::uuid is null or i.invitation_id = $3::uuid)
          order by i.invitation_id desc limit $4`,
          [organizationId, after ?? null, invitationId ?? null, limit],
        ),
      )
      return rows.map((row) => ({ item: toInvitation(row), key: [row.invitationId] }))
    },

    async find(digest) {
      const { rows } = await translateDatabaseErrors(
        pool.query<InvitationRow & { addressKnown: boolean }>(findSql, [digest]),
      )
      if (rows[0] === undefined) return undefined
      const { addressKnown, ...row } = rows[0]
      const organization = await organizations.get({ organizationId: row.organizationId })
      return organization && { invitation: toInvitation(row), organization, addressKnown }
    },

    async accept(digest, sessionDigest, caller, exists) {
      const accepted = await audited<Accepted>(async (transaction, write) => {
        const user = await lockSessionUser(transaction, sessionDigest)
        if (user === undefined) return { problem: 'nobody' }
        const invitation = await lockInvitation(transaction, digest)
        if (invitation === undefined) return { problem: 'over' }
        // The address was not theirs, or they had no role, when an administrator of a part invited it.
        if (invitation.inviterLimited && user.isAdministrator) return { problem: 'over' }
        const { organizationId, role, roles, byMember } = invitation
        const problem =
          addressProblem(user, invitation) ?? (await join(transaction, organizationId, user.userId, role))
        if (problem) return { problem }
        const given = toInvitation(invitation).roles.filter((one) => exists(one, byMember))
        await giveInvitedRoles(transaction, organizationId, user.userId, given)
        await transaction.organizationInvitation.delete({
          where: { invitationId: invitation.invitationId },
        })
        await closeMails(transaction, [invitation.mailId], 'accepted')
        await write({
          actor: { kind: 'user', id: user.userId, name: user.username, ...caller },
          action: 'organization.join',
          target: organizationId,
          after: {
            role,
            invited_by: invitation.invitedBy,
            ...(roles.length > 0 && { roles: namesOf(given) }),
          },
        })
        return { organizationId }
      })
      if ('problem' in accepted) return accepted
      const organization = await organizations.get(accepted)
      return organization ? { organization } : { problem: 'over' }
    },
  }
}

function namesOf(roles: readonly InvitedRole[]) {
  return roles.map(({ resource, role }) => ({ resource, role }))
}

type SessionUser = {
  userId: string
  username: string
  attributes: StoredAttributes
  isAdministrator: boolean
}

/** The active user of a live session. Neither can change until the end of the transaction. */
async function lockSessionUser(
  transaction: Transaction,
  sessionDigest: Buffer,
): Promise<SessionUser | undefined> {
  // Every transaction locks the user's row first, so that no two deadlock.
  const [user] = await transaction.$queryRawUnsafe<SessionUser[]>(
    `select u.id as "userId", u.username, u.attributes, ${hasRoleSql('u')} as "isAdministrator" from identity.users u
    where u.id = (select user_id from identity.sessions where secret_digest = $1) and u.disabled_at is null
    for no key update`,
    sessionDigest,
  )
  const sessions = await transaction.$queryRaw<unknown[]>`
    select from identity.sessions where secret_digest = ${sessionDigest} and expires_at > now() for share`
  return sessions.length > 0 ? user : undefined
}

/** The invitation of a link, in its organization, both of them locked. */
async function lockInvitation(transaction: Transaction, digest: Buffer): Promise<OpenInvitation | undefined> {
  const select = `select ${invitationColumns}, i.mail_id as "mailId", i.invited_by is not null as "byMember",
    i.inviter_limited as "inviterLimited" ${openInvitationSql}`
  const [found] = await transaction.$queryRawUnsafe<OpenInvitation[]>(select, digest)
  if (found === undefined) return undefined
  await lockOrganization(transaction, found.organizationId, 'against other changes', undefined)
  // Again, since a statement that waits for a lock sees what was there before.
  const [locked] = await transaction.$queryRawUnsafe<OpenInvitation[]>(`${select} for update of i`, digest)
  return locked
}

function addressProblem(
  { attributes }: SessionUser,
  { address }: Pick<Invitation, 'address'>,
): InvitationProblem | undefined {
  const { email, email_verified: verified } = attributesOf(attributes)
  if (email?.toLowerCase() !== address.toLowerCase()) return 'other address'
  return verified ? undefined : 'unverified'
}

/** Makes a user a member, or a member more than they are. @returns why not */
async function join(
  transaction: Transaction,
  organizationId: string,
  userId: string,
  role: MemberRole,
): Promise<InvitationProblem | undefined> {
  const key = { organizationId_userId: { organizationId, userId } }
  const member = await transaction.organizationMember.findUnique({ where: key })
  if (member !== null) {
    const more = memberRoleNames.indexOf(role) > memberRoleNames.indexOf(member.role as MemberRole)
    if (more) await transaction.organizationMember.update({ where: key, data: { role } })
    return undefined
  }
  const [theirs, all] = [
    await transaction.organizationMember.count({ where: { userId } }),
    await transaction.organizationMember.count({ where: { organizationId } }),
  ]
  if (theirs >= organizationLimits.organizationsOfUser) return 'too many'
  if (all >= organizationLimits.members) return 'full'
  await transaction.organizationMember.create({ data: { organizationId, userId, role } })
  return undefined
}
