import type { Prisma } from '@gatehouse/prisma/database'

/**
 * Ends mails of invitations, with their links. One that waits is not sent, and one that failed cannot be tried again.
 * @param how the way in which the invitations end
 */
export async function closeMails(
  transaction: Pick<Prisma.TransactionClient, '$executeRawUnsafe' | '$queryRawUnsafe'>,
  ids: readonly string[],
  how: 'replaced' | 'withdrawn' | 'accepted',
): Promise<void> {
  if (ids.length === 0) return
  // The links first, as whoever accepts one does, so that no two deadlock.
  await transaction.$queryRawUnsafe(
    'select 1 from identity.mail_links where mail_id = any($1::uuid[]) order by link_digest for update',
    ids,
  )
  // Mails that were not sent stay, so that they count for what may go to an address in an hour.
  await transaction.$executeRawUnsafe(
    `update identity.mails set content = content || jsonb_build_object('closed', $2::text),
      failure = case when state = 'waiting' then 'The invitation was ' || $2 || '.' else failure end,
      ended_at = coalesce(ended_at, now()), state = case when state = 'waiting' then 'failed' else state end
    where mail_id = any($1::uuid[]) and not content ? 'closed'`,
    ids,
    how,
  )
  // This sees the link of a mail that was just being sent: changing the mail waited for it.
  await transaction.$executeRawUnsafe('delete from identity.mail_links where mail_id = any($1::uuid[])', ids)
}
