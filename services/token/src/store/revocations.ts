import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'
import type { RevocationStore } from '../access-token-store.ts'

// Raw, because Prisma can neither say "infinity" nor let the greater of two times win in one statement.
const addSql = `
  insert into token.revocations as r (kind, id, issued_before, expires_at)
  values ($1, $2, coalesce($3, 'infinity'::timestamptz), coalesce($3 + make_interval(secs => $4), 'infinity'::timestamptz))
  on conflict (kind, id) do update set
    issued_before = greatest(r.issued_before, excluded.issued_before),
    expires_at = greatest(r.expires_at, excluded.expires_at)`

/**
 * The revocations in PostgreSQL.
 * @param longestLifetime of a token that one may concern, in seconds: so long a revocation is kept
 */
export function createRevocationStore(
  { pool }: Pick<Database, 'pool'>,
  longestLifetime: number,
): RevocationStore {
  return {
    async add({ kind, id, issuedBefore }) {
      await answered(pool.query(addSql, [kind, id, issuedBefore ?? null, longestLifetime]))
    },
  }
}
