import type { Prisma } from '@gatehouse/prisma/database'
import { hasRoleSql } from '../admin-roles.ts'

/**
 * Whether the one who invited somebody by an invitation i still may do that: a member as what they are now, an administrator of a part while
 * no member is an administrator, and every other administrator.
 */
export const inviterMaySql = `case
  when i.inviter_limited then not exists (
    select from identity.organization_members m join identity.users u on u.id = m.user_id
    where m.organization_id = i.organization_id and ${hasRoleSql('u')}
  )
  else i.invited_by is null or exists (
    select from identity.organization_members m join identity.users u on u.id = m.user_id
    where m.organization_id = i.organization_id and m.user_id = i.invited_by and u.disabled_at is null
      and (m.role = 'owner' or m.role = 'admin' and i.role <> 'owner')
  ) end`

/** From and where of the invitation i to an organization o behind the link l with the digest $1, unless it is over. */
export const openInvitationSql = `
  from identity.mail_links l
    join identity.organization_invitations i on i.mail_id = l.mail_id
    join identity.organizations o on o.organization_id = i.organization_id
  where l.link_digest = $1 and l.purpose = 'organization' and l.expires_at > now() and i.expires_at > now()
    and o.disabled_at is null and ${inviterMaySql}`

/** The path of the page where people who signed up by an invitation to an organization continue. */
export const invitationPage = '/account/organizations/join'

/**
 * The address of an invitation to an organization, by whose link somebody may sign up, since they have read the mail. Signing up does not
 * use the link: joining does.
 */
export async function findInvitedAddress(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  digest: Buffer,
): Promise<string | undefined> {
  const [found] = await transaction.$queryRawUnsafe<{ address: string }[]>(
    `select i.address ${openInvitationSql}`,
    digest,
  )
  return found?.address
}
