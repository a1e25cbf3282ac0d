import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { BackchannelLogout, BackchannelLogoutStore } from '../openid/backchannel-logout.ts'

/** How many rows that are due take turns at once: ranking all would be slow when clients were away for long. */
const mostRanked = 20_000

// Taking a row makes it due again after a pause, so that a replica that dies loses none. The first pause is longer than a request
// may take, and each later one is twice as long.
// Users and clients take turns, so that one with many logouts keeps nobody else's away.
const takeSql = `
  with due as (
    select session_id, client_id, user_id, attempts, next_attempt_at from token.backchannel_logouts
    where next_attempt_at <= now() and user_id <> all($4) and client_id <> all($5)
    order by attempts, next_attempt_at limit ${mostRanked}
  ), ranked as (
    select *, row_number() over (partition by user_id order by attempts, next_attempt_at) as of_user,
      row_number() over (partition by client_id order by attempts, next_attempt_at) as of_client
    from due
  ), taken as (
    select session_id, client_id from ranked r join token.backchannel_logouts b using (session_id, client_id)
    where b.next_attempt_at <= now() and r.of_user <= $2 and r.of_client <= $3
    order by r.attempts, greatest(r.of_user, r.of_client), r.next_attempt_at limit $1 for update of b skip locked
  )
  update token.backchannel_logouts b set
    attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => 10 * 2 ^ least(attempts, 10))
  from taken where b.session_id = taken.session_id and b.client_id = taken.client_id
  returning b.session_id as "sessionId", b.client_id as "clientId", b.user_id as "userId", b.attempts`

/** The clients that must be told that a session ended, in PostgreSQL. */
export function createBackchannelLogoutStore({ pool }: Pick<Database, 'pool'>): BackchannelLogoutStore {
  return {
    async take(most, mostOf, except) {
      const values = [most, mostOf.user, mostOf.client, except.users, except.clients]
      return (await translateDatabaseErrors(pool.query<BackchannelLogout>(takeSql, values))).rows
    },

    async remove({ sessionId, clientId }) {
      const text = 'delete from token.backchannel_logouts where session_id = $1 and client_id = $2'
      await translateDatabaseErrors(pool.query(text, [sessionId, clientId]))
    },
  }
}
