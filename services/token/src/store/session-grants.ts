import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ClaimsRequest } from '../openid/claims-request.ts'
import type { SessionGrant } from '../openid/session-grant.ts'
import type { AccessTokenKey } from '../tokens/access-token-store.ts'
import { type Column, definitionsOf, namesOf } from './columns.ts'

/** The columns of a session grant for its session and its request. */
const columns: readonly Column<SessionGrant>[] = [
  { name: 'session_id', type: 'uuid', value: ({ sessionId }) => sessionId },
  { name: 'nonce', type: 'text', value: ({ nonce }) => nonce },
  { name: 'authenticated_at', type: 'timestamptz', value: ({ authenticatedAt }) => authenticatedAt },
  { name: 'methods', type: 'text[]', value: ({ methods }) => methods },
  { name: 'connection_id', type: 'text', value: ({ connectionId }) => connectionId },
  { name: 'by_organization', type: 'boolean', value: ({ byOrganization }) => byOrganization },
  { name: 'claims', type: 'jsonb', value: ({ claims }) => claims },
  { name: 'offline', type: 'boolean', value: ({ offline }) => offline },
  { name: 'session_ends_at', type: 'timestamptz', value: ({ sessionEndsAt }) => sessionEndsAt },
]

/** The columns of a session grant with the alias s. */
export const sessionGrantColumns = namesOf(columns, 's')

/**
 * A part of a `with` clause that stores the session grants of new grants that have one.
 * @param source the name of an earlier part with grant_id, client_id, user_id and, as session_grant, the value of `sessionGrantValue`
 * @param keptFor the parameter with the longest time for which a grant has tokens, in seconds
 */
export const addSessionGrantsSql = (source: string, keptFor: string) => `
  session_grant as (
    insert into token.session_grants (grant_id, client_id, user_id, ${namesOf(columns)}, expires_at)
    select grants.grant_id, grants.client_id, grants.user_id, ${sessionGrantColumns},
      now() + make_interval(secs => ${keptFor}::float8)
    from ${source} grants, jsonb_to_record(grants.session_grant::jsonb) as s (${definitionsOf(columns)})
    where grants.session_grant is not null
  )`

/**
 * A part of a `with` clause, named `kept`, that keeps the session grants of grants that are continued.
 * @param source the name of an earlier part with grant_id
 */
export const keepSessionGrantSql = (source: string, keptFor: string) => `
  kept as (
    update token.session_grants s set expires_at = now() + make_interval(secs => ${keptFor}::float8)
    from ${source} where s.grant_id = ${source}.grant_id
    returning s.*
  )`

/** The JSON of a grant that `addSessionGrantsSql` stores; null for no grant. */
export function sessionGrantValue(grant: SessionGrant | undefined): string | null {
  if (grant === undefined) return null
  return JSON.stringify(Object.fromEntries(columns.map(({ name, value }) => [name, value(grant)])))
}

/**
 * The condition that a grant ended with its session, or with logins by the connection by which its user had logged in. What was granted
 * after a later login lives: it is compared by the time when the session was seen, since a provider may say that the login was earlier.
 * @param row the alias of a row with grant_id and granted_at
 */
export const isSessionEndedSql = (row: string) => `exists (
  select from token.session_grants s
  where s.grant_id = ${row}.grant_id and (not s.offline and (s.session_ends_at <= now() or exists (
    select from token.revocations r where r.kind = 'session' and r.id = s.session_id::text
  )) or s.connection_id is not null and exists (
    select from token.revocations r where r.kind = 'connection' and r.id in (
      s.connection_id, s.connection_id || ':' || s.user_id, case when not s.offline then s.connection_id || ':' || s.session_id end
    ) and r.issued_before >= ${row}.granted_at
  ))
)`

/**
 * When a new refresh token expires: no later than its session, unless it is for offline access.
 * @param source the name of an earlier part with grant_id
 * @param lifetime the parameter with the lifetime of refresh tokens, in seconds
 */
export const endOfRefreshTokenSql = (source: string, lifetime: string) => `least(
  now() + make_interval(secs => ${lifetime}::float8),
  (select s.session_ends_at from token.session_grants s where s.grant_id = ${source}.grant_id and not s.offline)
)`

/** A row with `sessionGrantColumns`; all are null when the grant has no session grant. */
export type SessionGrantRow = {
  session_id: string | null
  nonce: string | null
  authenticated_at: Date
  methods: string[]
  connection_id: string | null
  by_organization: boolean
  claims: ClaimsRequest | null
  offline: boolean
  session_ends_at: Date
}

/** Translates a row; undefined when the grant has no session grant. */
export function toSessionGrant(row: SessionGrantRow): SessionGrant | undefined {
  if (row.session_id === null) return undefined
  return {
    sessionId: row.session_id,
    nonce: row.nonce ?? undefined,
    authenticatedAt: row.authenticated_at,
    methods: row.methods,
    connectionId: row.connection_id ?? undefined,
    byOrganization: row.by_organization,
    claims: row.claims ?? undefined,
    offline: row.offline,
    sessionEndsAt: row.session_ends_at,
  }
}

const findSql = `
  select ${sessionGrantColumns}
  from token.access_tokens t join token.session_grants s on s.grant_id = t.grant_id
  where t.expires_at = to_timestamp($1) and t.jti = $2`

/** Finds the session grant of an access token; undefined when the token was not given in a session. */
export async function findSessionGrant(
  { pool }: Pick<Database, 'pool'>,
  { expiresAt, jti }: AccessTokenKey,
): Promise<SessionGrant | undefined> {
  const { rows } = await translateDatabaseErrors(pool.query<SessionGrantRow>(findSql, [expiresAt, jti]))
  return rows[0] && toSessionGrant(rows[0])
}
