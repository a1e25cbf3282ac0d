import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { PendingLoginStore, UnfinishedLogin } from '../../logins/pending-login.ts'
import { passwordDigestSql } from '../second-factors.ts'
import { loginColumns } from './session-logins.ts'

const addSql = `
  insert into identity.pending_logins
    (secret_digest, user_id, login_method, methods, password_digest, ip_address, user_agent, client_id, expires_at, connection_login)
  values ($1, $2, $3, $4, ${passwordDigestSql('$5::text')}, $6, $7, $8, now() + make_interval(secs => $9), $10::jsonb)
  returning expires_at`

const countTrySql = `
  update identity.pending_logins set tries = tries + 1
  where secret_digest = $1 and expires_at > now() and tries < $2`

// A locked row is being completed; it is looked at again the next time.
const takeExpiredSql = `
  delete from identity.pending_logins where secret_digest in (
    select secret_digest from identity.pending_logins where expires_at <= now()
    order by expires_at limit $1 for update skip locked
  )
  returning user_id as "userId", login_method as "loginMethod", ip_address as "ipAddress", user_agent as "userAgent",
    client_id as "clientId"`

/** The logins that wait for a second factor, in PostgreSQL. */
export function createPendingLoginStore({ pool }: Pick<Database, 'pool'>): PendingLoginStore {
  return {
    async add(login, lifetime) {
      const { secretDigest, userId, loginMethod, methods, passwordHash, ipAddress, userAgent, clientId } =
        login
      const place = [ipAddress, userAgent, clientId ?? '']
      const first = [secretDigest, userId, loginMethod, methods, passwordHash ?? null]
      const values = [...first, ...place, lifetime, loginColumns(login.connectionLogin)]
      const { rows } = await translateDatabaseErrors(pool.query<{ expires_at: Date }>(addSql, values))
      if (rows[0] === undefined) throw new Error('the statement returned no row')
      return rows[0].expires_at
    },

    async countTry(secretDigest, most) {
      const { rowCount } = await translateDatabaseErrors(pool.query(countTrySql, [secretDigest, most]))
      return rowCount === 1
    },

    async takeExpired(most) {
      const { rows } = await translateDatabaseErrors(
        pool.query<UnfinishedLogin & { clientId: string }>(takeExpiredSql, [most]),
      )
      return rows.map((row) => ({ ...row, clientId: row.clientId || undefined }))
    },
  }
}
