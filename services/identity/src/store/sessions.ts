import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Session, SessionStore } from '../session.ts'
import { createEndSessions, recordEndsSql } from './session-ends.ts'

/** The scope that a user has allowed a client: empty without a consent, null when no client is given. */
const consentedSql = (userId: string, clientId: string) => `case when ${clientId} <> '' then coalesce(
  (select c.scope from identity.consents c where c.user_id = ${userId} and c.client_id = ${clientId}), '') end`

// The lock and a transaction that disables the user or changes the password wait for each other, so a user who was just
// disabled keeps no session. Every transaction locks the user's row first, so that no two deadlock.
const beginSql = `
  with allowed as materialized (
    select id from identity.users
    where id = $2 and disabled_at is null and ($3::text is null or password_hash = $3) for share
  ),
  previous as (
    delete from identity.sessions s using allowed where s.secret_digest = $4
    returning s.id, s.user_id, s.created_at, s.expires_at
  ),
  continued as (
    select previous.* from previous join allowed on previous.user_id = allowed.id where previous.expires_at > now()
  ),
  ended as (select id from previous where id not in (select id from continued)),
  ${recordEndsSql('ended', '$11')}
  insert into identity.sessions as begun
    (id, secret_digest, user_id, user_agent, ip_address, created_at, expires_at, methods)
  select coalesce(continued.id, $1::uuid), $5::bytea, allowed.id, $6::text, $7::text, coalesce(continued.created_at, now()),
    now() + make_interval(secs => $8), $10::text[]
  from allowed left join continued on true
  returning id, created_at, expires_at, authenticated_at, ${consentedSql('begun.user_id', '$9')} as consented_scope,
    (select id from recorded) as revocation_id`

/** Selects the sessions that have not expired, of active users. @param consentedScope the SQL of that column */
export const liveSql = (consentedScope: string) => `
  select ${consentedScope} as consented_scope, now() as seen_at, s.id, s.created_at, s.expires_at, s.user_agent, s.ip_address,
    s.authenticated_at, s.methods, u.id as user_id, u.username, u.is_admin
  from identity.sessions s join identity.users u on u.id = s.user_id
  where s.expires_at > now() and u.disabled_at is null`

/** A row of `liveSql`. */
export type SessionRow = {
  seen_at: Date
  id: string
  created_at: Date
  expires_at: Date
  authenticated_at: Date
  methods: string[]
  user_agent: string
  ip_address: string
  consented_scope: string | null
  user_id: string
  username: string
  is_admin: boolean
}

type BegunRow = Pick<
  SessionRow,
  'id' | 'created_at' | 'expires_at' | 'authenticated_at' | 'consented_scope'
> & {
  revocation_id: string | null
}

/**
 * The sessions in PostgreSQL.
 * @param recorded whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createSessionStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  recorded: boolean,
): SessionStore {
  const endSessions = createEndSessions(recorded)
  return {
    async begin(session) {
      const { rows } = await translateDatabaseErrors(
        pool.query<BegunRow>(beginSql, [
          session.id,
          session.userId,
          session.passwordHash ?? null,
          session.previousDigest ?? null,
          session.secretDigest,
          session.userAgent,
          session.ipAddress,
          session.lifetime,
          session.clientId,
          session.methods,
          recorded,
        ]),
      )
      const [row] = rows
      return (
        row && {
          id: row.id,
          createdAt: row.created_at,
          expiresAt: row.expires_at,
          authenticatedAt: row.authenticated_at,
          consentedScope: row.consented_scope ?? undefined,
          revocationIds: row.revocation_id === null ? [] : [BigInt(row.revocation_id)],
        }
      )
    },

    // Prepared, because every page and every authorization request runs it.
    async find(secretDigest, clientId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<SessionRow>({
          name: 'find_session',
          text: `${liveSql(consentedSql('u.id', '$2'))} and s.secret_digest = $1`,
          values: [secretDigest, clientId],
        }),
      )
      return rows[0] && toSession(rows[0])
    },

    async list(userId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<SessionRow>(`${liveSql('null')} and u.id = $1 order by s.created_at desc, s.id`, [userId]),
      )
      return rows.map(toSession)
    },

    async end(userId, sessionId) {
      const { revocationIds } = await translateDatabaseErrors(endSessions(prisma, { userId, sessionId }))
      return revocationIds
    },
  }
}

/** Translates a row into the domain's session. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    user: { id: row.user_id, username: row.username, admin: row.is_admin },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    userAgent: row.user_agent,
    ipAddress: row.ip_address,
    seenAt: row.seen_at,
    authenticatedAt: row.authenticated_at,
    methods: row.methods,
    consentedScope: row.consented_scope ?? undefined,
  }
}
