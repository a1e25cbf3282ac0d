import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { ReleasedConsentStore, StoredAnswer } from '../released-consent.ts'
import { rememberSql } from './consents.ts'

// Deleting the question answers it, so only one of several parallel answers finds it.
const answerSql = `
  with answered as (
    delete from identity.consent_questions q
    using identity.sessions s
    where q.question_digest = $1 and q.session_id = $2 and q.expires_at > now()
      and s.id = q.session_id and s.expires_at > now()
    returning s.user_id, q.client_id, q.scope, q.authorization_query, null::text as client_name
  ),
  remembered as (${rememberSql('answered', '$3::boolean')})
  select user_id as "userId", client_id as "clientId", scope, authorization_query as "authorizationQuery"
  from answered`

/** The questions of gateways of release 0.2.0, in PostgreSQL. */
export function createReleasedConsentStore({
  pool,
  prisma,
}: Pick<Database, 'pool' | 'prisma'>): ReleasedConsentStore {
  return {
    async findScope(userId, clientId) {
      const consent = await translateDatabaseErrors(
        prisma.consent.findUnique({
          where: { userId_clientId: { userId, clientId } },
          select: { scope: true },
        }),
      )
      return consent?.scope
    },

    async ask({ digest, sessionId, clientId, scope, authorizationQuery }, { lifetime, most }) {
      return translateDatabaseErrors(
        prisma.$transaction(async (transaction) => {
          // The lock serializes the questions of a session, so that each one counts those before it.
          const session = await transaction.$queryRaw<unknown[]>`
            select from identity.sessions
            where id = ${sessionId}::uuid and expires_at > now() for no key update`
          if (session.length === 0) return false
          await transaction.$executeRaw`
            delete from identity.consent_questions where question_digest in (
              select question_digest from identity.consent_questions where session_id = ${sessionId}::uuid
              order by expires_at desc offset ${most - 1}
            )`
          await transaction.$executeRaw`
            insert into identity.consent_questions
              (question_digest, session_id, client_id, scope, authorization_query, expires_at)
            values (${digest}, ${sessionId}::uuid, ${clientId}, ${scope}, ${authorizationQuery},
              clock_timestamp() + make_interval(secs => ${lifetime}))`
          return true
        }),
      )
    },

    async answer({ digest, sessionId, allowed }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<StoredAnswer>(answerSql, [digest, sessionId, allowed]),
      )
      return rows[0]
    },
  }
}
