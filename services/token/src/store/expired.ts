import type { Database } from '@gatehouse/prisma/database'

const batch = 1_000

/** What is deleted when it is over: its key, and from when on nobody can need it any more. */
const tables = {
  revocations: { key: 'kind, id', over: 'expires_at < now()' },
  // A day more, so that a replay is known for one.
  authorization_codes: { key: 'code_digest', over: "expires_at < now() - interval '1 day'" },
  refresh_tokens: { key: 'token_digest', over: 'expires_at < now()' },
}

/** One of the tables whose rows end one by one. */
export type ExpiringTable = keyof typeof tables

/** All of them. */
export const expiringTables = Object.keys(tables) as ExpiringTable[]

/**
 * Deletes the rows of a table that nobody can need any more, in batches so that none holds its locks for long.
 * @returns how many were deleted
 */
export async function deleteExpired({ pool }: Pick<Database, 'pool'>, table: ExpiringTable): Promise<number> {
  const { key, over } = tables[table]
  let deleted = 0
  for (;;) {
    const { rowCount } = await pool.query(
      `delete from token.${table} where ${over} and (${key}) in (
         select ${key} from token.${table} where ${over} order by expires_at limit $1
       )`,
      [batch],
    )
    deleted += rowCount ?? 0
    if ((rowCount ?? 0) < batch) return deleted
  }
}
