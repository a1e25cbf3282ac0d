import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { Invitation, InvitationStore, OpenInvitation } from '../../accounts/invitation.ts'
import { closeMails } from '../mail/closed-mails.ts'
import { lockAddress, type MailWriter, mayMailTo } from '../mail/mails.ts'

// An invitation is its mail. One that was withdrawn, replaced or accepted says so in its content, as `closed`; a mail
// that waits is then not sent.

/** A mail m of an invitation that is open. */
const isOpen = `m.kind = 'invitation' and not m.content ? 'closed' and not exists (
  select from identity.users u
  where lower(u.attributes ->> 'email') = lower(m.recipient) and u.attributes -> 'email_verified' = 'true'::jsonb
)`

type Row = Omit<OpenInvitation, 'expiresAt'> & { expiresAt: Date | null }

const listSql = `
  select m.mail_id as id, m.recipient as address, m.language, m.created_at as "createdAt", l.expires_at as "expiresAt",
    case when m.state = 'sent' and (l.expires_at is null or l.expires_at <= now()) then 'expired' else m.state end as state
  from identity.mails m
  left join lateral (
    select max(expires_at) as expires_at from identity.mail_links where mail_id = m.mail_id
  ) l on true
  where ${isOpen} and ($1::uuid is null or m.mail_id < $1::uuid)
  order by m.mail_id desc limit $2`

/** The invitations in PostgreSQL. */
export function createInvitationStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  { keepEvent, mails }: { keepEvent: KeepEvent; mails: MailWriter },
): InvitationStore {
  const audited = auditedTransactions(database, 'identity', keepEvent)

  async function send(
    transaction: Prisma.TransactionClient,
    { address, language, attributes }: Invitation,
  ): Promise<{ id: string } | 'known' | 'too many'> {
    // It also lets one transaction after the other write to an address.
    if (!(await mayMailTo(transaction, address, ['invitation']))) return 'too many'
    if (await hasAccount(transaction, address)) return 'known'
    await closeInvitations(transaction, address, 'replaced')
    const mail = { kind: 'invitation', userId: undefined, recipient: address, language } as const
    const id = await mails.toAddress(transaction, { ...mail, content: { ...(attributes && { attributes }) } })
    return { id: id ?? '' }
  }

  return {
    async list(after, limit) {
      const { rows } = await translateDatabaseErrors(
        database.pool.query<Row>(listSql, [after ?? null, limit]),
      )
      return rows.map((row) => ({ item: { ...row, expiresAt: row.expiresAt ?? undefined }, key: [row.id] }))
    },

    invite: (invitation, actor) =>
      audited(async (transaction, write) => {
        const sent = await send(transaction, invitation)
        if (typeof sent === 'string') return sent
        const after = { email: invitation.address }
        await write({ actor, action: 'user.invite', target: sent.id, after })
        return sent
      }),

    sendAgain: (id, actor) =>
      audited(async (transaction, write) => {
        const open = await findOpen(transaction, id)
        if (open === undefined) return 'unknown'
        const sent = await send(transaction, open)
        if (typeof sent === 'string') return sent
        await write({ actor, action: 'user.invite.resend', target: sent.id, after: { email: open.address } })
        return sent
      }),

    withdraw: (id, actor) =>
      audited(async (transaction, write) => {
        const open = await findOpen(transaction, id)
        if (open === undefined) return false
        await closeInvitations(transaction, open.address, 'withdrawn')
        await write({ actor, action: 'user.invite.withdraw', target: id, before: { email: open.address } })
        return true
      }),
  }
}

/** Whether a user has this address, confirmed. */
export async function hasAccount(transaction: Prisma.TransactionClient, address: string): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    select 1 from identity.users
    where lower(attributes ->> 'email') = lower(${address}) and attributes -> 'email_verified' = 'true'::jsonb
    limit 1`
  return rows.length > 0
}

/** The open invitation with this id, whose address others do not mail to meanwhile. */
async function findOpen(transaction: Prisma.TransactionClient, id: string): Promise<Invitation | undefined> {
  const find = () =>
    transaction.$queryRawUnsafe<Invitation[]>(
      `select recipient as address, language, content -> 'attributes' as attributes
      from identity.mails m where mail_id = $1::uuid and ${isOpen}`,
      id,
    )
  const [found] = await find()
  if (found === undefined) return undefined
  await lockAddress(transaction, found.address)
  const [open] = await find()
  return open && { ...open, attributes: open.attributes ?? undefined }
}

/**
 * Ends the invitations of an address, with their links. A mail that waits is not sent.
 * @param how the way in which they end
 */
export async function closeInvitations(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe' | '$queryRawUnsafe'>,
  address: string,
  how: 'replaced' | 'withdrawn' | 'accepted',
): Promise<void> {
  const mails = await transaction.$queryRawUnsafe<{ id: string }[]>(
    `select mail_id as id from identity.mails where lower(recipient) = lower($1) and kind = 'invitation'`,
    address,
  )
  await closeMails(
    transaction,
    mails.map(({ id }) => id),
    how,
  )
}
