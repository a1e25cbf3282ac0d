import { auditedTransactions } from '@gatehouse/data/audit'
import type { KeepEvent } from '@gatehouse/data/pending-events'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { MailListStore, MailRecord } from '../../accounts/mail-list.ts'
import { attributesOf, type StoredAttributes } from '../../users/user-attributes.ts'
import type { MailWriter } from './mails.ts'

const columns = `
  mail_id as id, kind, user_id as "userId", recipient, language, state, attempts, created_at as "createdAt",
  due_at as "dueAt", ended_at as "endedAt", failure`

type MailRow = Omit<MailRecord, 'userId' | 'endedAt' | 'failure'> & {
  userId: string | null
  endedAt: Date | null
  /** Empty: none. */
  failure: string
}

/** The mails in PostgreSQL, as administrators see them. */
export function createMailListStore(
  database: Pick<Database, 'pool' | 'prisma'>,
  { keepEvent, mails }: { keepEvent: KeepEvent; mails: MailWriter },
): MailListStore {
  const { pool } = database
  const audited = auditedTransactions(database, 'identity', keepEvent)
  return {
    async list({ userId, recipient, kind, state }, after, limit) {
      const values: unknown[] = []
      const parameter = (value: unknown) => `$${values.push(value)}`
      const wanted = [
        ...(userId === undefined ? [] : [`user_id = ${parameter(userId)}::uuid`]),
        ...(recipient === undefined ? [] : [`lower(recipient) = lower(${parameter(recipient)})`]),
        ...(kind === undefined ? [] : [`kind = ${parameter(kind)}`]),
        ...(state === undefined ? [] : [`state = ${parameter(state)}`]),
        ...(after === undefined ? [] : [`mail_id < ${parameter(after)}::uuid`]),
      ]
      const { rows } = await translateDatabaseErrors(
        pool.query<MailRow>(
          `select ${columns} from identity.mails where ${['true', ...wanted].join(' and ')}
          order by mail_id desc limit ${parameter(limit)}`,
          values,
        ),
      )
      return rows.map((row) => ({ item: recordOf(row), key: [row.id] }))
    },

    async get(id) {
      const { rows } = await translateDatabaseErrors(
        pool.query<MailRow>(`select ${columns} from identity.mails where mail_id = $1`, [id]),
      )
      return rows[0] && recordOf(rows[0])
    },

    retry: (id, actor) =>
      audited(async (transaction, write) => {
        const count = await transaction.$executeRaw`
          update identity.mails
          set state = 'waiting', attempts = 0, due_at = now(), give_up_at = now() + interval '1 day', ended_at = null
          where mail_id = ${id}::uuid and state = 'failed' and not content ? 'closed'`
        if (count === 1) await write({ actor, action: 'mail.retry', target: id })
        return count === 1
      }),

    sendLink: (userId, kind, actor) =>
      audited(async (transaction, write) => {
        const [user] = await transaction.$queryRaw<{ username: string; attributes: StoredAttributes }[]>`
          select username, attributes from identity.users where id = ${userId}::uuid and disabled_at is null for share`
        if (user === undefined) return 'unknown'
        const { email, email_verified: verified, locale, zoneinfo } = attributesOf(user.attributes)
        if (email === undefined) return 'no address'
        if (kind === 'password_reset' && !verified) return 'not verified'
        const content = { username: user.username, timeZone: zoneinfo ?? 'UTC' }
        const mail = { kind, userId, recipient: email, language: locale ?? 'en', content }
        const id = await mails.toAddress(transaction, mail)
        await write({ actor, action: 'user.mail', target: userId, after: { mail: kind } })
        return { id: id ?? '' }
      }),
  }
}

function recordOf({ userId, endedAt, failure, ...mail }: MailRow): MailRecord {
  return {
    ...mail,
    userId: userId ?? undefined,
    endedAt: endedAt ?? undefined,
    failure: failure || undefined,
  }
}
