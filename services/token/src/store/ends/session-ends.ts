import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { SessionEndStore } from '../../openid/session-end.ts'

// Only the first of several calls for a session inserts its row, and does the rest. Grants are revoked in one order everywhere, so that
// no two statements deadlock.
const endSql = `
  with ended as (
    insert into token.revocations (kind, id, issued_before, expires_at)
    values ('session', $1::uuid::text, now(), now() + make_interval(secs => $2::float8))
    on conflict (kind, id) do nothing
    returning id
  ),
  grants as (
    select s.grant_id, s.client_id, s.user_id, s.offline
    from ended join token.session_grants s on s.session_id = ended.id::uuid
  ),
  revoked as (
    insert into token.revocations as r (kind, id, issued_before, expires_at)
    select 'grant', grant_id::text, now(), now() + make_interval(secs => $2::float8) from grants where not offline
    order by grant_id
    on conflict (kind, id) do update set
      issued_before = greatest(r.issued_before, excluded.issued_before),
      expires_at = greatest(r.expires_at, excluded.expires_at)
  ),
  notified as (
    insert into token.backchannel_logouts (session_id, client_id, user_id)
    select distinct on (client_id) $1::uuid, client_id, user_id from grants
  )
  select from ended`

/**
 * The ends of sessions in PostgreSQL.
 * @param keptFor how long they are kept, in seconds: as long as anything that was granted in a session can live
 */
export function createSessionEndStore({ pool }: Pick<Database, 'pool'>, keptFor: number): SessionEndStore {
  return {
    async add(sessionId) {
      const { rowCount } = await translateDatabaseErrors(pool.query(endSql, [sessionId, keptFor]))
      return rowCount === 1
    },
  }
}
