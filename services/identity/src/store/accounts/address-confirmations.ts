import { inTransaction } from '@gatehouse/data/in-transaction'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import { attributesIn } from '@gatehouse/proto/people/user-attributes'
import type { AddressConfirmationStore, AddressOwner } from '../../accounts/address-confirmation.ts'
import { attributesOf, type StoredAttributes } from '../../users/user-attributes.ts'
import { endMailLinks, takeMailLink } from '../mail/mail-links.ts'
import { countedKinds } from '../mail/mail-requests.ts'
import { type MailWriter, mayMailTo } from '../mail/mails.ts'
import { hasFactorSql, provenSql } from '../second-factors.ts'

type OwnerRow = Omit<AddressOwner, 'email'> & { email: string | null }

const ownerSql = `
  select u.id as "userId", u.attributes ->> 'email' as email,
    coalesce(u.attributes -> 'email_verified' = 'true'::jsonb, false) as verified,
    extract(epoch from now() - s.authenticated_at)::float8 as "loggedInFor",
    (not ${hasFactorSql('u.id')} or ${provenSql('s.methods')}) as proven
  from identity.sessions s join identity.users u on u.id = s.user_id
  where s.secret_digest = $1 and s.expires_at > now() and u.disabled_at is null`

/** The confirmation of addresses in PostgreSQL. */
export function createAddressConfirmationStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  mails: MailWriter,
): AddressConfirmationStore {
  return {
    async ownerOf(secretDigest) {
      const { rows } = await translateDatabaseErrors(pool.query<OwnerRow>(ownerSql, [secretDigest]))
      const row = rows[0]
      return row && { ...row, email: row.email ?? undefined }
    },

    request: ({ secretDigest, userId, address, language }) =>
      inTransaction({ prisma }, async (transaction) => {
        const user = await userOf(transaction, userId)
        if (user === undefined || !(await isLive(transaction, secretDigest))) return 'session over'
        const { username, attributes } = user
        const isOwn = attributesOf(attributes).email?.toLowerCase() === address.toLowerCase()
        const counted = countedKinds.address
        if (!(await mayMailTo(transaction, address, counted, isOwn ? userId : undefined))) return 'too many'
        const { locale = language, zoneinfo: timeZone = 'UTC' } = attributesOf(attributes)
        const content = { username, timeZone }
        await mails.toAddress(transaction, {
          kind: 'address',
          userId,
          recipient: address,
          language: locale,
          content,
        })
        return 'sent'
      }),

    confirm: (digest) =>
      inTransaction({ prisma }, async (transaction) => {
        const link = await takeMailLink(transaction, digest, 'address')
        const user = link?.userId ? await userOf(transaction, link.userId) : undefined
        if (!link?.userId || user === undefined) return undefined
        const { userId, address } = link
        const previous = attributesOf(user.attributes)
        const changed = previous.email?.toLowerCase() !== address.toLowerCase()
        const attributes = attributesIn({ ...user.attributes, email: address, email_verified: true })
        // Before the change, since it goes to the previous address.
        if (changed)
          await mails.toUser(transaction, {
            kind: 'address_changed',
            userId,
            content: { address, at: Date.now() },
          })
        await transaction.$executeRaw`
          update identity.users set attributes = ${JSON.stringify(attributes)}::jsonb, address_vouched_by = null,
            attributes_updated_at = now(), updated_at = now()
          where id = ${userId}::uuid`
        await endMailLinks(transaction, userId)
        return { userId, changed }
      }),
  }
}

/** An active user, who cannot change until the end of the transaction. */
async function userOf(transaction: Prisma.TransactionClient, userId: string) {
  const [user] = await transaction.$queryRaw<{ username: string; attributes: StoredAttributes }[]>`
    select username, attributes from identity.users where id = ${userId}::uuid and disabled_at is null for share`
  return user
}

/** Whether a session is live, and so stays until the end of the transaction: whoever ends it then ends the mail too. */
async function isLive(transaction: Prisma.TransactionClient, secretDigest: Buffer): Promise<boolean> {
  const sessions = await transaction.$queryRaw<unknown[]>`
    select from identity.sessions where secret_digest = ${secretDigest} and expires_at > now() for share`
  return sessions.length > 0
}
