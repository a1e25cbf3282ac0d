import { inTransaction } from '@gatehouse/data/in-transaction'
import { inPlaces, type Placed, sharing } from '@gatehouse/data/shared-statements'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import { coalesce } from '@gatehouse/kit/rpc/coalesce'
import type { Database } from '@gatehouse/prisma/database'
import type { AdminRole } from '@gatehouse/proto/administration'
import type { SessionDigests } from '../../basics/secret.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { seenEvery } from '../../logins/session.ts'
import type { Session, SessionStore } from '../../logins/session-store.ts'
import { adminRoleSql } from '../admin-roles.ts'
import { endMailLinks } from '../mail/mail-links.ts'
import { demandedSql, hasFactorSql, provenSql } from '../second-factors.ts'
import { createEndSessions } from '../session-ends.ts'
import { createMemberSessionBeginnings } from './member-session-beginnings.ts'
import {
  type ConsentedColumns,
  consentedSql,
  consentsIn,
  createSessionBeginnings,
  noConsentsSql,
  type SessionRules,
} from './session-beginnings.ts'
import {
  hasOrganizationLoginSql,
  type OrganizationLoginsColumn,
  organizationLoginsIn,
  organizationLoginsSql,
} from './session-logins.ts'

/**
 * Selects the sessions that have not expired, of active users.
 * @param consents the SQL of the columns of `ConsentedColumns`
 * @param anyLogin the SQL condition that sessions are wanted, too, all of whose logins count in one organization each, and these logins of
 *   any session
 */
export const liveSql = (consents: string, policy: FactorPolicy, anyLogin = 'false') => `
  select ${consents}, now() as seen_at, s.id, s.created_at, s.expires_at, s.user_agent, s.ip_address,
    s.authenticated_at, s.methods, greatest(s.last_seen_at, s.authenticated_at) as last_seen_at, u.id as user_id, u.username, ${adminRoleSql('u')} as admin_role,
    not s.organizations_only and not ${provenSql('s.methods')} and ${hasFactorSql('u.id')} as second_factor_unproven,
    not s.organizations_only and not ${provenSql('s.methods')} and ${demandedSql('u', policy)} as second_factor_due,
    s.connection_id, s.organizations_only, case when ${anyLogin} then ${organizationLoginsSql('s.id')} end as organization_logins,
    array(select jsonb_object_keys(u.attributes)) as attribute_names
  from identity.sessions s join identity.users u on u.id = s.user_id
  where s.expires_at > now() and u.disabled_at is null
    and (not s.organizations_only or (${anyLogin} and ${hasOrganizationLoginSql('s.id')}))`

/** A row of `liveSql`. */
export type SessionRow = ConsentedColumns & {
  seen_at: Date
  id: string
  created_at: Date
  expires_at: Date
  authenticated_at: Date
  last_seen_at: Date
  methods: string[]
  connection_id: string | null
  organizations_only: boolean
  organization_logins: OrganizationLoginsColumn | null
  user_agent: string
  ip_address: string
  user_id: string
  username: string
  admin_role: AdminRole | null
  second_factor_unproven: boolean
  second_factor_due: boolean
  attribute_names: string[]
}

const raiseSql = `
  update identity.sessions s set secret_digest = $2, methods = $3 from identity.users u
  where s.secret_digest = $1 and s.expires_at > now() and u.id = s.user_id and u.disabled_at is null`

// One of several requests at the same time writes, and the others find that it is done.
const seeSql = `
  update identity.sessions set last_seen_at = now()
  where id = $1 and greatest(last_seen_at, authenticated_at) <= now() - $2 * interval '1 millisecond'`

/** A session to find. Without the digest for members, only one with a login by a way of the instance is. */
type Wanted = Pick<SessionDigests, 'secretDigest'> &
  Partial<SessionDigests> & { clientId: string | undefined }

/** The sessions in PostgreSQL. */
export function createSessionStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { recorded, policy }: SessionRules,
): SessionStore {
  const endSessions = createEndSessions(recorded)
  const findSql = `
    select found.*, wanted.position::int - 1 as position
    from unnest($1::bytea[], $2::bytea[], $3::text[]) with ordinality as wanted (secret_digest, member_digest, client_id, position)
    cross join lateral (
      ${liveSql(consentedSql('u.id', 'wanted.client_id'), policy, 'wanted.member_digest is not null')}
        and s.secret_digest = any(array[wanted.secret_digest, wanted.member_digest])
    ) found`
  // Shared and prepared, because every page and every authorization request needs a session.
  const find = coalesce<Wanted, Session | undefined>({
    ...sharing,
    run: async (wanted) => {
      const values = [
        wanted.map(({ secretDigest }) => secretDigest),
        wanted.map(({ memberDigest }) => memberDigest ?? null),
        wanted.map(({ clientId }) => clientId ?? null),
      ]
      const { rows } = await translateDatabaseErrors(
        pool.query<SessionRow & Placed>({ name: 'find_sessions', text: findSql, values }),
      )
      return inPlaces(wanted, rows, toSession)
    },
  })
  return {
    ...createSessionBeginnings({ pool }, { recorded, policy }),
    ...createMemberSessionBeginnings({ pool }, { recorded }),

    find: (secretDigest, clientId) => find({ secretDigest, clientId }),

    findAny: (digests, clientId) => find({ ...digests, clientId }),

    async see(sessionId) {
      await translateDatabaseErrors(pool.query(seeSql, [sessionId, seenEvery]))
    },

    async raise(secretDigest, newDigest, methods) {
      const { rowCount } = await translateDatabaseErrors(
        pool.query(raiseSql, [secretDigest, newDigest, methods]),
      )
      return rowCount === 1
    },

    async list(userId) {
      const { rows } = await translateDatabaseErrors(
        pool.query<SessionRow>(
          `${liveSql(noConsentsSql, policy, 'true')} and u.id = $1 order by s.created_at desc, s.id`,
          [userId],
        ),
      )
      return rows.map(toSession)
    },

    end: (userId, sessionId, endLinks) =>
      inTransaction({ prisma }, async (transaction) => {
        const { revocationIds } = await endSessions(transaction, { userId, sessionId })
        if (endLinks) await endMailLinks(transaction, userId)
        return revocationIds
      }),
  }
}

/** Translates a row into the domain's session. */
export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    user: { id: row.user_id, username: row.username, adminRole: row.admin_role },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    userAgent: row.user_agent,
    ipAddress: row.ip_address,
    seenAt: row.seen_at,
    authenticatedAt: row.authenticated_at,
    lastSeenAt: row.last_seen_at,
    methods: row.methods,
    connectionId: row.connection_id ?? undefined,
    organizationLogins: organizationLoginsIn(row.organization_logins),
    organizationsOnly: row.organizations_only,
    secondFactorUnproven: row.second_factor_unproven,
    secondFactorDue: row.second_factor_due,
    ...consentsIn(row),
    attributeNames: row.attribute_names,
  }
}
