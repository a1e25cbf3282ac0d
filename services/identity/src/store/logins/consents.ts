import { inTransaction } from '@gatehouse/data/in-transaction'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ConsentStore } from '../../logins/consent.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import type { SessionRules } from './session-beginnings.ts'
import { liveSql, type SessionRow, toSession } from './sessions.ts'

// Each scope value is stored once.
const grantSql = (policy: FactorPolicy) => `
  with session as (${liveSql('null', policy)} and s.secret_digest = $1),
  remembered as (
    insert into identity.consents as c (user_id, client_id, scope, client_name)
    select user_id, $3, $4, $5 from session where id = $2
    on conflict (user_id, client_id) do update set granted_at = now(),
      client_name = coalesce(excluded.client_name, c.client_name),
      scope = (
        select string_agg(word, ' ' order by place) from (
          select word, min(place) as place
          from unnest(string_to_array(c.scope || ' ' || excluded.scope, ' ')) with ordinality as words (word, place)
          where word <> '' group by word
        ) as each_once
      )
  )
  select * from session`

// One look into the index for each client, however many users have consented.
const findClientsSql = `
  select i.client_id as "clientId" from unnest($1::text[]) as i (client_id)
  where exists (select from identity.consents c where c.client_id = i.client_id)`

/** The consents in PostgreSQL. */
export function createConsentStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { policy }: Pick<SessionRules, 'policy'>,
): ConsentStore {
  const grant = grantSql(policy)
  return {
    async list(userId) {
      const rows = await translateDatabaseErrors(
        prisma.consent.findMany({
          where: { userId },
          select: { clientId: true, scope: true, grantedAt: true, clientName: true },
          orderBy: [{ grantedAt: 'desc' }, { clientId: 'asc' }],
        }),
      )
      return rows.map(({ clientName, ...consent }) => ({ ...consent, clientName: clientName ?? undefined }))
    },

    async grant(secretDigest, { sessionId, clientId, scope, clientName }) {
      // In a transaction, because a late answer to a consent page must not undo that the consent was withdrawn since.
      const [row] = await inTransaction({ prisma }, (transaction) =>
        transaction.$queryRawUnsafe<SessionRow[]>(
          grant,
          ...[secretDigest, sessionId, clientId, scope, clientName ?? null],
        ),
      )
      return row && toSession(row)
    },

    async findClients(clientIds) {
      const rows = await translateDatabaseErrors(
        pool.query<{ clientId: string }>(findClientsSql, [clientIds]),
      )
      return rows.rows.map(({ clientId }) => clientId)
    },

    async forgetClients(clientIds) {
      await translateDatabaseErrors(
        prisma.consent.deleteMany({ where: { clientId: { in: [...clientIds] } } }),
      )
    },

    async withdraw(userId, clientId) {
      return inTransaction({ prisma }, async (transaction) => {
        await transaction.consent.deleteMany({ where: { userId, clientId } })
        return addPendingRevocation(transaction, 'identity', {
          kind: 'consent',
          target: `${userId}:${clientId}`,
        })
      })
    },
  }
}
