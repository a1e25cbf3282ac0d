import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { BegunSession, ConsentedIn, SessionStore, StartingSession } from '../../logins/session-store.ts'
import { demandedSql, passwordDigestSql, provenSql } from '../second-factors.ts'
import { recordEndsSql } from '../session-ends.ts'
import {
  linkedSql,
  loggedInSql,
  loginColumns,
  type OrganizationLoginsColumn,
  organizationLoginsIn,
  organizationLoginsSql,
  storeLoginSql,
} from './session-logins.ts'

/** The rules on which sessions depend, besides the database. */
export type SessionRules = {
  /** Whether the token service must be told of sessions that end: where OpenID Connect is on. */
  recorded: boolean
  policy: FactorPolicy
}

/**
 * The columns with the scopes that a user has allowed a client: `consented_scope` is empty without a consent, and null when no client is
 * given; `consented_in` is null for somebody who has given none in an organization.
 */
export const consentedSql = (userId: string, clientId: string) => `
  case when ${clientId} <> '' then coalesce(
    (select c.scope from identity.consents c where c.user_id = ${userId} and c.client_id = ${clientId}), '') end as consented_scope,
  case when ${clientId} <> '' then (
    select json_agg(json_build_object('organizationId', c.organization_id, 'scope', c.scope))
    from identity.organization_consents c where c.user_id = ${userId} and c.client_id = ${clientId}) end as consented_in`

/** The columns of `consentedSql`, where nobody asks for them. */
export const noConsentsSql = 'null as consented_scope, null::json as consented_in'

/** The values of these columns. */
export type ConsentedColumns = {
  consented_scope: string | null
  consented_in: ConsentedIn[] | null
}

/** The consents that these columns tell of. */
export function consentsIn({ consented_scope: scope, consented_in: inOrganizations }: ConsentedColumns) {
  return { consentedScope: scope ?? undefined, consentedIn: inOrganizations ?? [] }
}

/**
 * The parts of a `with` clause for the browser's previous session, whose digests are $7. Of somebody else it ends, as it does when it has
 * expired: `ended` has its id, and `recorded` that of the pending revocation. Else it is `previousSql` of the user.
 */
export const endPreviousSql = `
  ended as (
    delete from identity.sessions s using allowed
    where s.secret_digest = any($7::bytea[]) and (s.user_id <> allowed.id or s.expires_at <= now())
    returning s.id
  ),
  ${recordEndsSql('ended', '$9')}`

/** The SQL condition that a session `s` is the browser's previous one, and of the same user. */
export const previousSql =
  's.secret_digest = any($7::bytea[]) and s.user_id = allowed.id and s.expires_at > now()'

const authenticatedSql = loggedInSql('allowed.login')
const lastSeenSql = `nullif(now(), ${authenticatedSql})`

/**
 * Begins a session with the parameters $1 to $9 of `beginningValues`. The previous session is changed and not replaced, because its logins
 * go on with it.
 * @param allowed parts of a `with` clause. The last one is named `allowed` and gives the id of the user, whose row is locked, and the
 *   login by a connection, or nothing if no session may begin
 */
const beginningSql = (allowed: string) => `
  with ${allowed},
  ${endPreviousSql},
  continued as (
    update identity.sessions s set secret_digest = $2::bytea, user_agent = $3::text, ip_address = $4::text,
      expires_at = now() + make_interval(secs => $5), methods = $6::text[], organizations_only = false,
      connection_id = allowed.login ->> 'connection_id', authenticated_at = ${authenticatedSql}, last_seen_at = ${lastSeenSql}
    from allowed where ${previousSql}
    returning s.id, s.user_id, s.created_at, s.expires_at, s.authenticated_at, s.connection_id
  ),
  added as (
    insert into identity.sessions
      (id, secret_digest, user_id, user_agent, ip_address, expires_at, methods, connection_id, authenticated_at, last_seen_at)
    select $1::uuid, $2::bytea, allowed.id, $3::text, $4::text, now() + make_interval(secs => $5), $6::text[],
      allowed.login ->> 'connection_id', ${authenticatedSql}, ${lastSeenSql}
    from allowed where not exists (select from continued)
    returning id, user_id, created_at, expires_at, authenticated_at, connection_id
  ),
  begun as (select * from continued union all select * from added),
  ${storeLoginSql('allowed')}`

/** The columns of `BegunRow`, of the part `begun`. */
const begunSql = `begun.id, created_at, expires_at, now() as seen_at, authenticated_at, connection_id,
  ${organizationLoginsSql('begun.id')} as organization_logins,
  ${consentedSql('begun.user_id', '$8')}, (select id from recorded) as revocation_id,
  array(select jsonb_object_keys(u.attributes) from identity.users u where u.id = begun.user_id) as attribute_names`

/** The part named `linked`: without a row, a login by a connection of the instance does not count. */
const linkedPart = `linked as materialized (${linkedSql('candidate', 'c.organization_id is null')})`

// The lock and a transaction that disables the user, changes the password or resets the factors wait for each other, so a user
// who was just disabled keeps no session. Every transaction locks the user's row first, so that no two deadlock.
const beginSql = (policy: FactorPolicy) => `
  ${beginningSql(`candidate as materialized (
    select u.id, $12::jsonb as login, not ${provenSql('$6::text[]')} and ${demandedSql('u', policy)} as unproven
    from identity.users u
    where u.id = $10 and u.disabled_at is null and ($11::text is null or u.password_hash = $11) for share
  ),
  ${linkedPart},
  allowed as (
    select id, login from candidate where not unproven and (login is null or exists (select from linked))
  )`)}
  select candidate.unproven, ${begunSql} from candidate left join begun on true`

// The pending login is deleted, so it becomes one session at most.
const completeSql = `
  ${beginningSql(`candidate as materialized (
    select u.id, u.password_hash, p.connection_login as login
    from identity.pending_logins p join identity.users u on u.id = p.user_id
    where p.secret_digest = $10 and u.disabled_at is null for share of u
  ),
  ${linkedPart},
  allowed as (
    delete from identity.pending_logins p using candidate c
    where p.secret_digest = $10 and p.user_id = c.id and p.expires_at > now()
      and (p.password_digest is null or p.password_digest = ${passwordDigestSql('c.password_hash')})
      and (c.login is null or exists (select from linked))
    returning c.id, c.login
  )`)}
  select ${begunSql} from begun`

type BegunRow = ConsentedColumns & {
  id: string
  created_at: Date
  expires_at: Date
  seen_at: Date
  authenticated_at: Date
  connection_id: string | null
  organization_logins: OrganizationLoginsColumn | null
  attribute_names: string[]
  revocation_id: string | null
}

/** The ways in which sessions begin, in PostgreSQL. */
export function createSessionBeginnings(
  { pool }: Pick<Database, 'pool'>,
  { recorded, policy }: SessionRules,
): Pick<SessionStore, 'begin' | 'complete'> {
  const begin = beginSql(policy)
  return {
    async begin(session) {
      const { userId, passwordHash, connectionLogin } = session
      const login = loginColumns(connectionLogin)
      const values = [...beginningValues(session, recorded), userId, passwordHash ?? null, login]
      const { rows } = await translateDatabaseErrors(
        pool.query<(BegunRow | { id: null }) & { unproven: boolean }>({
          ...{ name: 'begin_session', text: begin, values },
        }),
      )
      const [row] = rows
      if (row?.unproven) return 'second factor'
      return row === undefined || row.id === null ? undefined : toBegun(row)
    },

    async complete(session) {
      const values = [...beginningValues(session, recorded), session.pendingDigest]
      const { rows } = await translateDatabaseErrors(
        pool.query<BegunRow>({ name: 'complete_session', text: completeSql, values }),
      )
      return rows[0] && toBegun(rows[0])
    },
  }
}

/** The parameters $1 to $9 of `beginningSql`. */
function beginningValues(session: StartingSession, recorded: boolean): unknown[] {
  const { id, secretDigest, userAgent, ipAddress, lifetime, methods, previousDigests, clientId } = session
  const place = [userAgent, ipAddress]
  return [id, secretDigest, ...place, lifetime, methods, [...previousDigests], clientId ?? null, recorded]
}

function toBegun(row: BegunRow): BegunSession {
  return {
    id: row.id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    seenAt: row.seen_at,
    authenticatedAt: row.authenticated_at,
    connectionId: row.connection_id ?? undefined,
    organizationLogins: organizationLoginsIn(row.organization_logins),
    ...consentsIn(row),
    attributeNames: row.attribute_names,
    revocationIds: row.revocation_id === null ? [] : [BigInt(row.revocation_id)],
  }
}
