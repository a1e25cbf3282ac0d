import type { ConnectionLogin } from '../../logins/connection-login.ts'
import { sessionLifetime } from '../../logins/session.ts'
import type { OrganizationLogin } from '../../logins/session-store.ts'
import { leadsSql } from '../connections/leading-links.ts'

/** The SQL condition that a login counts in an organization now. @param login the alias of identity.session_logins */
const countsSql = (login: string) => `${login}.organization_id is not null and ${login}.expires_at > now()`

/** The SQL condition that a session has a login that counts in an organization. @param sessionId the SQL of its id */
export const hasOrganizationLoginSql = (sessionId: string) =>
  `exists (select from identity.session_logins l where l.session_id = ${sessionId} and ${countsSql('l')})`

/** The SQL condition that a session has a login that counts in this organization. */
export const hasLoginInSql = (sessionId: string, organizationId: string) => `exists (
  select from identity.session_logins l where l.session_id = ${sessionId} and l.organization_id = ${organizationId} and ${countsSql('l')})`

/** The SQL of the logins of a session that count in organizations, as `organizationLoginsIn` reads them. */
export const organizationLoginsSql = (sessionId: string) => `(
  select json_agg(json_build_object('connectionId', l.connection_id, 'organizationId', l.organization_id,
    'authenticatedAt', l.authenticated_at, 'methods', l.methods) order by l.authenticated_at, l.connection_id)
  from identity.session_logins l where l.session_id = ${sessionId} and ${countsSql('l')})`

/** A value of `organizationLoginsSql`. */
export type OrganizationLoginsColumn = (Omit<OrganizationLogin, 'authenticatedAt'> & {
  authenticatedAt: string
})[]

/** Reads the logins of a session that count in organizations. @param column null for none */
export function organizationLoginsIn(column: OrganizationLoginsColumn | null): OrganizationLogin[] {
  return (column ?? []).map(({ authenticatedAt, ...login }) => ({
    ...login,
    authenticatedAt: new Date(authenticatedAt),
  }))
}

/** A login by a connection as the columns of SessionLogin, for a parameter. */
export function loginColumns(login: ConnectionLogin | undefined): string | null {
  if (login === undefined) return null
  const { connectionId, organizationId, issuer, subject, upstreamSession, methods, authenticatedAt } = login
  const revision = String(login.revision)
  return JSON.stringify({
    connection_id: connectionId,
    organization_id: organizationId,
    ...{ issuer, subject, methods, revision },
    upstream_session: upstreamSession,
    authenticated_at: authenticatedAt,
  })
}

/** The SQL of the time of a login: the provider's clock may be fast. @param login the SQL of its columns, as jsonb */
export const loggedInSql = (login: string) =>
  `coalesce(least((${login} ->> 'authenticated_at')::timestamptz, now()), now())`

/**
 * The SQL of the links by which a connection leads to a user, for a part of a `with` clause. With another issuer, or after a change that
 * ended logins since this one was judged, it leads to nobody. Link and connection are locked, so that whoever takes one of them either sees
 * the session that begins or keeps it from beginning.
 * @param candidate the name of an earlier part with the user's `id` and the `login`
 * @param owner the SQL condition on the connection `c`: of the instance, or of which organization
 */
export const linkedSql = (candidate: string, owner: string) => `
  select 1 from ${candidate}
    join identity.connections c on c.connection_id = ${candidate}.login ->> 'connection_id' and c.disabled_at is null and ${owner}
      and c.ended_revision <= (${candidate}.login ->> 'revision')::bigint
    join identity.connection_links k on k.connection_id = c.connection_id and k.user_id = ${candidate}.id
      and k.issuer = ${candidate}.login ->> 'issuer' and ${leadsSql('k', 'c')} and k.subject = ${candidate}.login ->> 'subject'
  for share of c, k`

/**
 * A part of a `with` clause, named `logged`, that stores the login by a connection beside the session that begins. It lasts as long as a
 * session that begins now, also where the session lasts longer.
 * @param allowed the name of an earlier part with the `login`, or null for none; `begun` is one with the session's `id`
 */
export const storeLoginSql = (allowed: string) => `
  logged as (
    insert into identity.session_logins as l
      (session_id, connection_id, organization_id, issuer, subject, upstream_session, methods, authenticated_at, expires_at)
    select begun.id, n.connection_id, n.organization_id, n.issuer, n.subject, n.upstream_session, n.methods,
      ${loggedInSql(`${allowed}.login`)}, now() + interval '${sessionLifetime} seconds'
    from begun cross join ${allowed} cross join jsonb_to_record(${allowed}.login) as n
      (connection_id text, organization_id text, issuer text, subject text, upstream_session text, methods text[])
    where ${allowed}.login is not null
    on conflict (session_id, connection_id) do update set issuer = excluded.issuer, subject = excluded.subject,
      upstream_session = excluded.upstream_session, methods = excluded.methods,
      authenticated_at = excluded.authenticated_at, expires_at = excluded.expires_at
  )`
