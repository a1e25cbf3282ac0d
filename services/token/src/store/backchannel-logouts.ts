import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { BackchannelLogout, BackchannelLogoutStore } from '../backchannel-logout.ts'

// Taking a row makes it due again after a pause, so that a replica that dies loses none. The first pause is longer than a request
// may take, and each later one is twice as long.
const takeSql = `
  update token.backchannel_logouts set
    attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => 10 * 2 ^ least(attempts, 10))
  where (session_id, client_id) in (
    select session_id, client_id from token.backchannel_logouts b
    where next_attempt_at <= now() and session_id <> all($3::uuid[]) and (
      select count(*) from token.backchannel_logouts e
      where e.session_id = b.session_id and e.next_attempt_at <= now() and e.client_id < b.client_id
    ) < $2
    order by attempts, next_attempt_at limit $1 for update skip locked
  )
  returning session_id as "sessionId", client_id as "clientId", user_id as "userId", attempts`

/** The clients that must be told that a session ended, in PostgreSQL. */
export function createBackchannelLogoutStore({ pool }: Pick<Database, 'pool'>): BackchannelLogoutStore {
  return {
    async take(most, mostOfSession, except) {
      const values = [most, mostOfSession, except]
      return (await translateDatabaseErrors(pool.query<BackchannelLogout>(takeSql, values))).rows
    },

    async remove({ sessionId, clientId }) {
      const text = 'delete from token.backchannel_logouts where session_id = $1 and client_id = $2'
      await translateDatabaseErrors(pool.query(text, [sessionId, clientId]))
    },
  }
}
