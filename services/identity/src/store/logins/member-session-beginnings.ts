import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { SessionStore } from '../../logins/session-store.ts'
import { endPreviousSql, previousSql, type SessionRules } from './session-beginnings.ts'
import { linkedSql, loginColumns, storeLoginSql } from './session-logins.ts'

/**
 * The locks are those of whoever takes the login away, and in their order: the user, the organization, the connection, the link and the
 * membership. One that is taken at this moment is seen, because a row that is gone is not locked.
 *
 * A session with a login by a way of the instance keeps its end, its time and its methods: the organization's provider must not make that
 * login any younger, nor last any longer.
 */
const beginSql = `
  with candidate as materialized (
    select u.id, $8::jsonb as login from identity.users u where u.id = $10 and u.disabled_at is null for share
  ),
  place as materialized (
    select o.organization_id from candidate join identity.organizations o
      on o.organization_id = candidate.login ->> 'organization_id' and o.disabled_at is null
    for share of o
  ),
  linked as materialized (
    ${linkedSql('candidate', 'c.organization_id = (select organization_id from place)')}
  ),
  member as materialized (
    select m.user_id from candidate join identity.organization_members m
      on m.user_id = candidate.id and m.organization_id = (select organization_id from place)
    where exists (select from linked) for share of m
  ),
  allowed as (select candidate.id, candidate.login from candidate join member on member.user_id = candidate.id),
  ${endPreviousSql},
  continued as (
    update identity.sessions s set user_agent = $3::text, ip_address = $4::text, last_seen_at = now(),
      secret_digest = case when s.organizations_only then $6::bytea else $2::bytea end,
      expires_at = case when s.organizations_only then now() + make_interval(secs => $5) else s.expires_at end,
      authenticated_at = case when s.organizations_only then now() else s.authenticated_at end
    from allowed where ${previousSql}
    returning s.id
  ),
  added as (
    insert into identity.sessions (id, secret_digest, user_id, user_agent, ip_address, expires_at, methods, organizations_only)
    select $1::uuid, $6::bytea, allowed.id, $3::text, $4::text, now() + make_interval(secs => $5), '{}', true
    from allowed where not exists (select from continued)
    returning id
  ),
  begun as (select id from continued union all select id from added),
  ${storeLoginSql('allowed')}
  select (select id from recorded) as "revocationId" from begun`

/** How sessions begin by connections of organizations, in PostgreSQL. */
export function createMemberSessionBeginnings(
  { pool }: Pick<Database, 'pool'>,
  { recorded }: Pick<SessionRules, 'recorded'>,
): Pick<SessionStore, 'beginMember'> {
  return {
    async beginMember({ id, secretDigest, memberDigest, userAgent, ipAddress, lifetime, ...session }) {
      const { previousDigests, connectionLogin, userId } = session
      const values = [
        ...[id, secretDigest, userAgent, ipAddress, lifetime, memberDigest, [...previousDigests]],
        ...[loginColumns(connectionLogin), recorded, userId],
      ]
      const { rows } = await translateDatabaseErrors(
        pool.query<{ revocationId: string | null }>({ name: 'begin_member_session', text: beginSql, values }),
      )
      return rows[0]?.revocationId === null ? [] : rows[0] && [BigInt(rows[0].revocationId)]
    },
  }
}
