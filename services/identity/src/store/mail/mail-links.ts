import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { MailLinkPurpose } from '@gatehouse/proto/people/mails'
import type { MailLink, MailLinkStore } from '../../accounts/mail-link.ts'
import type { LinkContent } from '../../mail/mail-queue.ts'
import { findInvitedAddress, invitationPage } from './invited-addresses.ts'

const findSql = `
  select l.address, nullif(l.content ->> 'returnTo', '') as "returnTo", u.username
  from identity.mail_links l left join identity.users u on u.id = l.user_id
  where l.link_digest = $1 and l.purpose = $2 and l.expires_at > now() and u.disabled_at is null`

type LinkRow = { address: string; returnTo: string | null; username: string | null }

/** The links of mails in PostgreSQL. */
export function createMailLinkStore({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>): MailLinkStore {
  return {
    async find(digest, purpose) {
      const { rows } = await translateDatabaseErrors(pool.query<LinkRow>(findSql, [digest, purpose]))
      if (rows[0] === undefined) return purpose === 'sign_up' ? findInvited(digest) : undefined
      const { address, returnTo, username } = rows[0]
      return { address, returnTo: returnTo ?? undefined, username: username ?? undefined }
    },
  }

  async function findInvited(digest: Buffer): Promise<MailLink | undefined> {
    const address = await translateDatabaseErrors(findInvitedAddress(prisma, digest))
    return address === undefined ? undefined : { address, returnTo: invitationPage, username: undefined }
  }
}

/** A link that was used. */
export type UsedLink = { userId: string | null; address: string; content: LinkContent }

/**
 * Uses a link in a transaction. Only one of several concurrent transactions gets it.
 * @returns undefined when the link is unknown, has expired or was used
 */
export async function takeMailLink(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  digest: Buffer,
  purpose: MailLinkPurpose,
): Promise<UsedLink | undefined> {
  // Every transaction locks the user's row first, so that no two deadlock.
  await transaction.$queryRawUnsafe(
    `select from identity.users u join identity.mail_links l on l.user_id = u.id
    where l.link_digest = $1 for no key update of u`,
    digest,
  )
  const [link] = await transaction.$queryRawUnsafe<UsedLink[]>(
    `delete from identity.mail_links where link_digest = $1 and purpose = $2 and expires_at > now()
    returning user_id as "userId", address, content`,
    digest,
    purpose,
  )
  return link
}

/**
 * Ends the links of a user, and those of mails that wait or could be sent again. Call it in the transaction of a change after which
 * nobody may use them: of the password, the address, or to a disabled user.
 */
export async function endMailLinks(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe'>,
  userId: string,
): Promise<void> {
  // The mails first: this waits for one that is getting its link just now, and then its link is seen.
  await transaction.$executeRawUnsafe(
    `delete from identity.mails
    where user_id = $1::uuid and state <> 'sent' and kind in ('password_reset', 'address')`,
    userId,
  )
  await transaction.$executeRawUnsafe('delete from identity.mail_links where user_id = $1::uuid', userId)
}
