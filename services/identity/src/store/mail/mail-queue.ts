import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { DueMail, MailQueue } from '../../mail/mail-queue.ts'
import { handleRequests } from './mail-requests.ts'

const takeSql = `
  update identity.mails m set attempts = attempts + 1, due_at = now() + $2 * interval '1 second'
  from (
    select mail_id from identity.mails where state = 'waiting' and due_at <= now()
    order by due_at limit $1 for update skip locked
  ) due
  where m.mail_id = due.mail_id
  returning m.mail_id as id, kind, user_id as "userId", recipient, language, content, attempts as attempt,
    now() >= give_up_at as last`

// The user's row is locked first, as every transaction does, so that no two deadlock; then the mail, so that it does not end
// unseen while it gets its link. The invitation to an organization ends with the organization, too.
const addLinkSql = `
  with owner as materialized (select id from identity.users where id = $4::uuid for key share),
  mail as materialized (
    select mail_id from identity.mails
    where mail_id = $2::uuid and state = 'waiting' and ($4::uuid is null or exists (select from owner))
      and ($3 <> 'organization' or exists (select from identity.organization_invitations i where i.mail_id = $2::uuid))
    for share
  )
  insert into identity.mail_links (link_digest, mail_id, purpose, user_id, address, content, expires_at)
  select $1::bytea, mail_id, $3::text, $4::uuid, $5::text, $6::jsonb, now() + $7 * interval '1 second' from mail`

type DueRow = Omit<DueMail, 'userId'> & { userId: string | null }

/** The mails that wait, in PostgreSQL. */
export function createMailQueue(database: Pick<Database, 'pool' | 'prisma'>): MailQueue {
  const { pool } = database
  const run = (text: string, values: unknown[]) => translateDatabaseErrors(pool.query(text, values))
  return {
    async take(most, seconds) {
      const { rows } = await translateDatabaseErrors(pool.query<DueRow>(takeSql, [most, seconds]))
      return rows.map((row) => ({ ...row, userId: row.userId ?? undefined }))
    },

    async addLink({ digest, mailId, purpose, userId, address, content, lifetime }) {
      const { returnTo, attributes } = content
      const { rowCount } = await run(addLinkSql, [
        digest,
        mailId,
        purpose,
        userId,
        address,
        JSON.stringify({ returnTo, attributes }),
        lifetime,
      ])
      return rowCount === 1
    },

    async sent({ id, attempt }) {
      await run(
        `update identity.mails set state = 'sent', ended_at = now(), failure = ''
        where mail_id = $1 and attempts = $2 and state = 'waiting'`,
        [id, attempt],
      )
    },

    async failed({ id, attempt }, failure, retryIn) {
      await run(
        `update identity.mails set failure = $3, state = case when $4::float8 is null then 'failed' else state end,
          ended_at = case when $4 is null then now() end,
          due_at = case when $4 is null then due_at else now() + $4 * interval '1 second' end
        where mail_id = $1 and attempts = $2 and state = 'waiting'`,
        [id, attempt, failure, retryIn ?? null],
      )
    },

    handleRequests: (most) => handleRequests(database, most),

    async backlog() {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ waiting: number; oldest: number }>(
          `select count(*)::int as waiting,
            coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as oldest
          from identity.mails where state = 'waiting'`,
        ),
      )
      return rows[0] ?? { waiting: 0, oldest: 0 }
    },
  }
}
