import { randomUUIDv7 } from 'node:crypto'
import type { Prisma } from '@gatehouse/prisma/database'
import type { MailKindName } from '@gatehouse/proto/people/mails'
import type { StoredContent } from '../../mail/mail-queue.ts'

/** A transaction in which a mail is written. */
type Transaction = Pick<Prisma.TransactionClient, '$queryRawUnsafe'>

/** A mail to a user, at their verified address. */
export type UserMail = {
  kind: MailKindName
  userId: string
  content?: StoredContent
  /** The language if the user has not said one: a language tag (BCP 47). */
  language?: string
}

/** A mail to an address. */
export type AddressMail = {
  kind: MailKindName
  userId: string | undefined
  recipient: string
  language: string
  content: StoredContent
}

/** Writes mails in the transactions of what they tell of. */
export type MailWriter = {
  /**
   * Writes a mail to an active user. Users without a verified address get none.
   * @returns the mail's id; undefined when the user gets none
   */
  toUser(transaction: Transaction, mail: UserMail): Promise<string | undefined>
  /** @returns the mail's id; undefined where mails are off */
  toAddress(transaction: Transaction, mail: AddressMail): Promise<string | undefined>
}

/** Writes no mails, where they are off. */
export const noMails: MailWriter = { toUser: async () => undefined, toAddress: async () => undefined }

/** Writes mails into the table from which they are sent. */
export const mailWriter: MailWriter = {
  async toUser(transaction, { kind, userId, content = {}, language = 'en' }) {
    const [mail] = await transaction.$queryRawUnsafe<{ id: string }[]>(
      `insert into identity.mails (mail_id, kind, user_id, recipient, language, content)
      select $1::uuid, $2, id, attributes ->> 'email', coalesce(attributes ->> 'locale', $4),
        jsonb_build_object('username', username, 'timeZone', coalesce(attributes ->> 'zoneinfo', 'UTC')) || $5::jsonb
      from identity.users
      where id = $3::uuid and disabled_at is null and attributes -> 'email_verified' = 'true'::jsonb
      returning mail_id as id`,
      randomUUIDv7(),
      kind,
      userId,
      language,
      JSON.stringify(content),
    )
    return mail?.id
  },

  async toAddress(transaction, { kind, userId = null, recipient, language, content }) {
    const id = randomUUIDv7()
    await transaction.$queryRawUnsafe(
      `insert into identity.mails (mail_id, kind, user_id, recipient, language, content)
      values ($1::uuid, $2, $3::uuid, $4, $5, $6::jsonb)`,
      id,
      kind,
      userId,
      recipient,
      language,
      JSON.stringify(content),
    )
    return id
  },
}

/** The most mails with links that may go to an address in an hour, so that nobody can fill a mailbox. */
const mostInAnHour = 5
/** How many of them a user gets at their own address in any case, although others have used up that number. */
const mostForOwner = 2

/** Waits until no other transaction writes to an address; `mayMailTo` does it by itself. */
export async function lockAddress(transaction: Transaction, address: string): Promise<void> {
  await transaction.$queryRawUnsafe(
    "select pg_advisory_xact_lock(hashtextextended('mail ' || lower($1), 0)) is null",
    address,
  )
}

/**
 * Whether one more mail with a link may go to an address. Concurrent transactions wait for each other here.
 * @param kinds the kinds that count
 * @param ownerId the user who asks for a mail to their own address; undefined for other addresses
 */
export async function mayMailTo(
  transaction: Transaction,
  recipient: string,
  kinds: readonly MailKindName[],
  ownerId?: string,
): Promise<boolean> {
  // A statement of its own: what counts must begin after the wait, or it would not see the mails that it waited for.
  await lockAddress(transaction, recipient)
  const [{ may } = { may: false }] = await transaction.$queryRawUnsafe<{ may: boolean }[]>(
    `select count(*) < $3 or ($4::uuid is not null and count(*) filter (where user_id = $4::uuid) < $5) as may from identity.mails
    where lower(recipient) = lower($1) and created_at > now() - interval '1 hour' and kind = any($2::text[])`,
    recipient,
    kinds,
    mostInAnHour,
    ownerId ?? null,
    mostForOwner,
  )
  return may
}
