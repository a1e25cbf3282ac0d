import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { BegunSession, ConsentedIn, SessionStore, StartingSession } from '../../logins/session.ts'
import { demandedSql, passwordDigestSql, provenSql } from '../second-factors.ts'
import { recordEndsSql } from '../session-ends.ts'

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
 * Begins a session with the parameters $1 to $9 of `beginningValues`.
 * @param allowed parts of a `with` clause. The last one is named `allowed` and gives the id of the user, whose row is locked, or
 *   nothing if no session may begin
 */
const beginningSql = (allowed: string) => `
  with ${allowed},
  previous as (
    delete from identity.sessions s using allowed where s.secret_digest = $7
    returning s.id, s.user_id, s.created_at, s.expires_at
  ),
  continued as (
    select previous.* from previous join allowed on previous.user_id = allowed.id where previous.expires_at > now()
  ),
  ended as (select id from previous where id not in (select id from continued)),
  ${recordEndsSql('ended', '$9')},
  begun as (
    insert into identity.sessions
      (id, secret_digest, user_id, user_agent, ip_address, created_at, expires_at, methods)
    select coalesce(continued.id, $1::uuid), $2::bytea, allowed.id, $3::text, $4::text,
      coalesce(continued.created_at, now()), now() + make_interval(secs => $5), $6::text[]
    from allowed left join continued on true
    returning id, user_id, created_at, expires_at, authenticated_at
  )`

/** The columns of `BegunRow`, of the part `begun`. */
const begunSql = `begun.id, created_at, expires_at, authenticated_at,
  ${consentedSql('begun.user_id', '$8')}, (select id from recorded) as revocation_id,
  array(select jsonb_object_keys(u.attributes) from identity.users u where u.id = begun.user_id) as attribute_names`

// The lock and a transaction that disables the user, changes the password or resets the factors wait for each other, so a user
// who was just disabled keeps no session. Every transaction locks the user's row first, so that no two deadlock.
const beginSql = (policy: FactorPolicy) => `
  ${beginningSql(`candidate as materialized (
    select u.id, not ${provenSql('$6::text[]')} and ${demandedSql('u', policy)} as unproven
    from identity.users u
    where u.id = $10 and u.disabled_at is null and ($11::text is null or u.password_hash = $11) for share
  ),
  allowed as (select id from candidate where not unproven)`)}
  select candidate.unproven, ${begunSql} from candidate left join begun on true`

// The pending login is deleted, so it becomes one session at most.
const completeSql = `
  ${beginningSql(`candidate as materialized (
    select id, password_hash from identity.users
    where id = (select user_id from identity.pending_logins where secret_digest = $10) and disabled_at is null for share
  ),
  allowed as (
    delete from identity.pending_logins p using candidate c
    where p.secret_digest = $10 and p.user_id = c.id and p.expires_at > now()
      and (p.password_digest is null or p.password_digest = ${passwordDigestSql('c.password_hash')})
    returning c.id
  )`)}
  select ${begunSql} from begun`

type BegunRow = ConsentedColumns & {
  id: string
  created_at: Date
  expires_at: Date
  authenticated_at: Date
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
      const values = [...beginningValues(session, recorded), session.userId, session.passwordHash ?? null]
      const { rows } = await translateDatabaseErrors(
        pool.query<BegunRow & { unproven: boolean }>({ name: 'begin_session', text: begin, values }),
      )
      const [row] = rows
      return row?.unproven ? 'second factor' : row && toBegun(row)
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
  const { id, secretDigest, userAgent, ipAddress, lifetime, methods, previousDigest, clientId } = session
  const place = [userAgent, ipAddress]
  return [id, secretDigest, ...place, lifetime, methods, previousDigest ?? null, clientId ?? null, recorded]
}

function toBegun(row: BegunRow): BegunSession {
  return {
    id: row.id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    authenticatedAt: row.authenticated_at,
    ...consentsIn(row),
    attributeNames: row.attribute_names,
    revocationIds: row.revocation_id === null ? [] : [BigInt(row.revocation_id)],
  }
}
