import type { Database } from '@gatehouse/prisma/database'

const batch = 1_000

/**
 * Deletes revocations that no token can need any more, in batches so that none holds its locks for long.
 * @returns how many were deleted
 */
export async function deleteExpiredRevocations({ pool }: Pick<Database, 'pool'>): Promise<number> {
  let deleted = 0
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from token.revocations where expires_at < now() and (kind, id) in (
         select kind, id from token.revocations where expires_at < now() order by expires_at limit $1
       )`,
      [batch],
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return deleted
  }
}
