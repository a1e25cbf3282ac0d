import { inTransaction } from '@gatehouse/data/in-transaction'
import type { Database } from '@gatehouse/prisma/database'
import type { PasswordRecoveryStore } from '../../accounts/password-recovery.ts'
import { createEndAccess } from '../access-ends.ts'
import { createMailLinkStore, endMailLinks, takeMailLink } from '../mail/mail-links.ts'
import { addMailRequest } from '../mail/mail-requests.ts'
import type { MailWriter } from '../mail/mails.ts'

/**
 * The recovery of passwords in PostgreSQL.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createPasswordRecoveryStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  { recorded, mails }: { recorded: boolean; mails: MailWriter },
): PasswordRecoveryStore {
  const links = createMailLinkStore(database)
  const endAccess = createEndAccess(recorded)
  return {
    request: ({ username, ...request }) =>
      addMailRequest(database, { kind: 'password_reset', typed: username, ...request }),
    async namesOf(digest) {
      const { username, address } = (await links.find(digest, 'password_reset')) ?? {}
      return username === undefined || address === undefined ? undefined : { username, address }
    },

    complete: (digest, passwordHash) =>
      inTransaction(database, async (transaction) => {
        const link = await takeMailLink(transaction, digest, 'password_reset')
        if (!link?.userId) return 'link over'
        const { userId, address, content } = link
        // The link proves nothing about a user who has another address by now.
        const [user] = await transaction.$queryRaw<{ username: string }[]>`
          update identity.users set password_hash = ${passwordHash}, updated_at = now()
          where id = ${userId}::uuid and disabled_at is null and lower(attributes ->> 'email') = lower(${address})
            and attributes -> 'email_verified' = 'true'::jsonb
          returning username`
        if (user === undefined) return 'link over'
        await endMailLinks(transaction, userId)
        await mails.toUser(transaction, { kind: 'password_changed', userId, content: { at: Date.now() } })
        const revocationIds = await endAccess(transaction, userId)
        return { userId, username: user.username, returnTo: content.returnTo || undefined, revocationIds }
      }),
  }
}
