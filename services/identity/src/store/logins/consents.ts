import { inTransaction } from '@gatehouse/data/in-transaction'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Consent, ConsentStore } from '../../logins/consent.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { lockOrganization } from '../organizations/locked-organization.ts'
import { noConsentsSql, type SessionRules } from './session-beginnings.ts'
import { hasLoginInSql } from './session-logins.ts'
import { liveSql, type SessionRow, toSession } from './sessions.ts'

// Each scope value is stored once.
const rememberSql = (table: string, columns: string, key: string, source: string) => `
    insert into identity.${table} as c (user_id, client_id, scope, client_name${columns}) ${source}
    on conflict (${key}) do update set granted_at = now(),
      client_name = coalesce(excluded.client_name, c.client_name),
      scope = (
        select string_agg(word, ' ' order by place) from (
          select word, min(place) as place
          from unnest(string_to_array(c.scope || ' ' || excluded.scope, ' ')) with ordinality as words (word, place)
          where word <> '' group by word
        ) as each_once
      )`

/** @param anyLogin whether a session will do that has no login but in the organization: its other digest is $7, and the organization is $6 */
const grantSql = (policy: FactorPolicy, remember: string, anyLogin: boolean) => `
  with session as (
    ${liveSql(noConsentsSql, policy, String(anyLogin))}
      and (s.secret_digest = $1${anyLogin ? ` or (s.secret_digest = $7 and ${hasLoginInSql('s.id', '$6')})` : ''})
  ),
  remembered as (${remember})
  select * from session`

const rememberInNone = rememberSql(
  'consents',
  '',
  'user_id, client_id',
  'select user_id, $3, $4, $5 from session where id = $2',
)

const rememberInOrganization = rememberSql(
  'organization_consents',
  ', organization_id',
  'user_id, client_id, organization_id',
  `select session.user_id, $3, $4, $5, o.organization_id
    from session join identity.organization_members m on m.user_id = session.user_id
      join identity.organizations o on o.organization_id = m.organization_id
    where session.id = $2 and o.organization_id = $6 and o.disabled_at is null`,
)

// One look into each index for each client, however many users have consented.
const findClientsSql = `
  select i.client_id as "clientId" from unnest($1::text[]) as i (client_id)
  where exists (select from identity.consents c where c.client_id = i.client_id)
    or exists (select from identity.organization_consents c where c.client_id = i.client_id)`

const listSql = `
  select client_id as "clientId", scope, granted_at as "grantedAt", client_name as "clientName",
    null as "organizationId", null as "organizationName"
  from identity.consents where user_id = $1::uuid
  union all
  select c.client_id, c.scope, c.granted_at, c.client_name, o.organization_id, o.name
  from identity.organization_consents c
    join identity.organizations o on o.organization_id = c.organization_id and o.deleted_at is null
  where c.user_id = $1::uuid
  order by "grantedAt" desc, "clientId", "organizationId" nulls first`

type ConsentRow = Pick<Consent, 'clientId' | 'scope' | 'grantedAt'> & {
  clientName: string | null
  organizationId: string | null
  organizationName: string | null
}

/** The consents in PostgreSQL. */
export function createConsentStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { policy }: Pick<SessionRules, 'policy'>,
): ConsentStore {
  const grant = grantSql(policy, rememberInNone, false)
  const grantInOrganization = grantSql(policy, rememberInOrganization, true)
  return {
    async list(userId) {
      const { rows } = await translateDatabaseErrors(pool.query<ConsentRow>(listSql, [userId]))
      return rows.map(({ clientName, organizationId, organizationName, ...consent }) => ({
        ...consent,
        clientName: clientName ?? undefined,
        organizationId: organizationId ?? undefined,
        organizationName: organizationName ?? undefined,
      }))
    },

    async grant({ secretDigest, memberDigest }, { sessionId, clientId, scope, clientName, organizationId }) {
      const values = [secretDigest, sessionId, clientId, scope, clientName ?? null]
      // In a transaction, because a late answer to a consent page must not undo that the consent was withdrawn since.
      const [row] = await inTransaction({ prisma }, async (transaction) => {
        if (organizationId === undefined) return transaction.$queryRawUnsafe<SessionRow[]>(grant, ...values)
        // A user who leaves the organization meanwhile keeps no consent in it.
        await lockOrganization(transaction, organizationId, 'against changes of members', undefined)
        return transaction.$queryRawUnsafe<SessionRow[]>(
          grantInOrganization,
          ...values,
          organizationId,
          memberDigest,
        )
      })
      return row && toSession(row)
    },

    async findClients(clientIds) {
      const rows = await translateDatabaseErrors(
        pool.query<{ clientId: string }>(findClientsSql, [clientIds]),
      )
      return rows.rows.map(({ clientId }) => clientId)
    },

    async forgetClients(clientIds) {
      const where = { clientId: { in: [...clientIds] } }
      await inTransaction({ prisma }, async (transaction) => {
        await transaction.consent.deleteMany({ where })
        await transaction.organizationConsent.deleteMany({ where })
      })
    },

    async withdraw(userId, clientId, organizationId) {
      return inTransaction({ prisma }, async (transaction) => {
        if (organizationId === undefined)
          await transaction.consent.deleteMany({ where: { userId, clientId } })
        else await transaction.organizationConsent.deleteMany({ where: { userId, clientId, organizationId } })
        const target = [userId, clientId, organizationId].filter((id) => id !== undefined).join(':')
        return addPendingRevocation(transaction, 'identity', { kind: 'consent', target })
      })
    },
  }
}
