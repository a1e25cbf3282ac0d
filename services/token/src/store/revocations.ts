import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Revocation, RevocationStore } from '../tokens/access-token-store.ts'

// Raw SQL, because Prisma cannot write "infinity", nor keep the greater of two times in one statement. A revocation that
// arrives late must be kept for tokens issued until it arrived, hence now() in expires_at.
/** Stores a revocation. Its parameters are those of `revocationValues`. */
export const addRevocationSql = `
  insert into token.revocations as r (kind, id, issued_before, expires_at)
  values ($1, $2, $3::timestamptz, greatest($3::timestamptz, now()) + make_interval(secs => $4::float8))
  on conflict (kind, id) do update set
    issued_before = greatest(r.issued_before, excluded.issued_before),
    expires_at = greatest(r.expires_at, excluded.expires_at)`

/**
 * The condition that a row's grant, client, user, consent, organization or membership was revoked since the grant was given. A consent's
 * id is made of its user, its client and, in an organization, that one. A null is looked up nowhere.
 * @param row the alias of a row with grant_id, client_id, user_id and organization_id
 * @param grantedAt its column with the time when the grant was given
 */
export const isRevokedSql = (row: string, grantedAt: string) => `exists (
  select from token.revocations r
  where (r.kind, r.id) in (
      ('grant', ${row}.grant_id::text), ('client', ${row}.client_id), ('user', ${row}.user_id),
      ('own', case when ${row}.user_id is null then ${row}.client_id end),
      ('consent', ${row}.user_id || ':' || ${row}.client_id || coalesce(':' || ${row}.organization_id, '')),
      ('organization', ${row}.organization_id), ('membership', ${row}.user_id || ':' || ${row}.organization_id)
    )
    and r.issued_before >= ${row}.${grantedAt}
)`

/**
 * The revocations in PostgreSQL.
 * @param longestLifetime how long a revocation is kept, in seconds: as long as anything that it revokes can live
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
 * @param longestLifetime as for createRevocationStore, in seconds
 */
export function revocationValues(
  { kind, id, issuedBefore }: Omit<Revocation, 'kind'> & { kind: Revocation['kind'] | 'connection' },
  longestLifetime: number,
): (string | number)[] {
  // PostgreSQL reads the text `now` as its current time.
  const until = issuedBefore instanceof Date ? endOfMillisecond(issuedBefore) : (issuedBefore ?? 'infinity')
  return [kind, id, until, longestLifetime]
}

/** A Date has no microseconds: without them, a token granted in the same millisecond would seem newer than the revocation. */
function endOfMillisecond(date: Date): string {
  return date.toISOString().replace('Z', '999Z')
}
