import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Session, SessionStore } from '../session.ts'

// The lock waits for whoever disables the user or changes the password, and makes them wait for this: no session of a
// user who was just disabled is left behind. The user's row comes first, as everywhere, lest two wait for each other.
const beginSql = `
  with allowed as materialized (
    select id from identity.users
    where id = $2 and disabled_at is null and ($3::text is null or password_hash = $3) for share
  ),
  previous as (delete from identity.sessions s using allowed where s.secret_digest = $4)
  insert into identity.sessions (id, secret_digest, user_id, user_agent, ip_address, expires_at)
  select $1::uuid, $5::bytea, allowed.id, $6::text, $7::text, now() + make_interval(secs => $8) from allowed
  returning expires_at`

const liveSql = `
  select now() as seen_at, s.id, s.created_at, s.expires_at, s.user_agent, s.ip_address,
    u.id as user_id, u.username, u.is_admin
  from identity.sessions s join identity.users u on u.id = s.user_id
  where s.expires_at > now() and u.disabled_at is null`

type LiveRow = {
  seen_at: Date
  id: string
  created_at: Date
  expires_at: Date
  user_agent: string
  ip_address: string
  user_id: string
  username: string
  is_admin: boolean
}

/** The sessions in PostgreSQL. */
export function createSessionStore({ pool, prisma }: Pick<Database, 'pool' | 'prisma'>): SessionStore {
  return {
    async begin(session) {
      const { rows } = await translateDatabaseErrors(
        pool.query<{ expires_at: Date }>(beginSql, [
          session.id,
          session.userId,
          session.passwordHash ?? null,
          session.previousDigest ?? null,
          session.secretDigest,
          session.userAgent,
          session.ipAddress,
          session.lifetime,
        ]),
      )
      return rows[0]?.expires_at
    },

    // Prepared: every page of ours and every authorization request asks this.
    async find(secretDigest) {
      const { rows } = await translateDatabaseErrors(
        pool.query<LiveRow>({
          name: 'find_session',
          text: `${liveSql} and s.secret_digest = $1`,
          values: [secretDigest],
        }),
      )
      return rows[0] && toSession(rows[0])
    },

    async list(userId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<LiveRow>(`${liveSql} and u.id = $1 order by s.created_at desc, s.id`, [userId]),
      )
      return rows.map(toSession)
    },

    async end(userId, sessionId) {
      await translateDatabaseErrors(prisma.session.deleteMany({ where: { id: sessionId, userId } }))
    },
  }
}

function toSession(row: LiveRow): Session {
  return {
    id: row.id,
    user: { id: row.user_id, username: row.username, admin: row.is_admin },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    userAgent: row.user_agent,
    ipAddress: row.ip_address,
    seenAt: row.seen_at,
  }
}
