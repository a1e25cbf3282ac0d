import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Revocation, RevocationStore } from '../access-token-store.ts'

// Raw, because Prisma can neither say "infinity" nor let the greater of two times win in one statement. One that comes
// late concerns tokens that were issued until it came.
/** Keeps a revocation. Its parameters are those of `revocationValues`. */
export const addRevocationSql = `
  insert into token.revocations as r (kind, id, issued_before, expires_at)
  values ($1, $2, $3::timestamptz, greatest($3::timestamptz, now()) + make_interval(secs => $4::float8))
  on conflict (kind, id) do update set
    issued_before = greatest(r.issued_before, excluded.issued_before),
    expires_at = greatest(r.expires_at, excluded.expires_at)`

/**
 * The condition that a row's grant, client, user or consent was revoked since it was given. A consent is named by its
 * user and its client.
 * @param row the alias of a row with grant_id, client_id and user_id
 * @param grantedAt its column with the time when the grant was given
 */
export const isRevokedSql = (row: string, grantedAt: string) => `exists (
  select from token.revocations r
  where (r.kind, r.id) in (
      ('grant', ${row}.grant_id::text), ('client', ${row}.client_id), ('user', ${row}.user_id),
      ('consent', ${row}.user_id || ':' || ${row}.client_id)
    )
    and r.issued_before >= ${row}.${grantedAt}
)`

/**
 * The revocations in PostgreSQL.
 * @param longestLifetime of what one may concern, in seconds: so long a revocation is kept
 */
export function createRevocationStore(
  { pool }: Pick<Database, 'pool'>,
  longestLifetime: number,
): RevocationStore {
  return {
    async add(revocation) {
      await translateDatabaseErrors(
        pool.query(addRevocationSql, revocationValues(revocation, longestLifetime)),
      )
    },
  }
}

/**
 * The parameters of `addRevocationSql`.
 * @param longestLifetime of what the revocation may concern, in seconds
 */
export function revocationValues(
  { kind, id, issuedBefore }: Revocation,
  longestLifetime: number,
): (string | number)[] {
  // PostgreSQL reads `now` as its own time.
  const until = issuedBefore instanceof Date ? endOfMillisecond(issuedBefore) : (issuedBefore ?? 'infinity')
  return [kind, id, until, longestLifetime]
}

/** A Date has lost the microseconds by which what was granted may be the earlier one. */
function endOfMillisecond(date: Date): string {
  return date.toISOString().replace('Z', '999Z')
}
