import { inTransaction } from '@gatehouse/data/in-transaction'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type {
  ConnectionLoginStore,
  LoginPurpose,
  PendingConnectionLogin,
} from '../../connections/pending-connection-login.ts'
import type { FactorPolicy } from '../../logins/second-factor.ts'
import { lockChangingUser } from '../factors/factor-owners.ts'

/** How many logins may be under way at a connection. Strangers begin them, and they end after ten minutes. */
const mostUnderWay = 5_000

const addSql = `
  insert into identity.connection_logins
    (state_digest, browser_digest, connection_id, purpose, user_id, nonce, code_verifier, dpop_key, max_age, return_to, expires_at)
  select $1, $2, $3, $4, $5::uuid, $6, $7, $8, $9::int, $10, now() + make_interval(secs => $11)
  where (
    select count(*) from (select from identity.connection_logins where connection_id = $3 limit ${mostUnderWay}) u
  ) < ${mostUnderWay}`

const takeSql = `
  delete from identity.connection_logins
  where state_digest = $1 and browser_digest = any($2::bytea[]) and expires_at > now()
  returning connection_id as "connectionId", purpose, user_id as "userId", nonce, code_verifier as "codeVerifier",
    dpop_key as "proofKey", max_age as "maxAge", return_to as "returnTo", begun_at as "begunAt"`

type Row = Pick<PendingConnectionLogin, 'connectionId' | 'nonce' | 'codeVerifier'> & {
  purpose: LoginPurpose
  userId: string | null
  proofKey: Buffer | null
  maxAge: number | null
  returnTo: string
  begunAt: Date
}

/**
 * What is under way at the providers of connections, in PostgreSQL, so that any replica can finish what another began.
 * @param policy OAUTH2_MFA
 */
export function createConnectionLoginStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  policy: FactorPolicy,
): ConnectionLoginStore {
  return {
    async add({ stateDigest, browserDigest, connectionId, purpose, userId, lifetime, ...login }) {
      const { nonce, codeVerifier, proofKey, maxAge, returnTo } = login
      const { rowCount } = await translateDatabaseErrors(
        pool.query(addSql, [
          ...[stateDigest, browserDigest, connectionId, purpose, userId ?? null, nonce, codeVerifier],
          ...[proofKey ?? null, maxAge ?? null, returnTo ?? '', lifetime],
        ]),
      )
      return rowCount === 1
    },

    async take(stateDigest, browserDigests) {
      const { rows } = await translateDatabaseErrors(pool.query<Row>(takeSql, [stateDigest, browserDigests]))
      const [row] = rows
      return (
        row && {
          ...row,
          userId: row.userId ?? undefined,
          proofKey: row.proofKey ?? undefined,
          maxAge: row.maxAge ?? undefined,
          returnTo: row.returnTo || undefined,
        }
      )
    },

    linkingUser: (digest) =>
      inTransaction({ prisma }, async (transaction) => {
        const owner = { kind: 'session', digest, expiresAt: undefined } as const
        return (await lockChangingUser(transaction, owner, policy))?.userId
      }),

    async roleIn(organizationId, userId) {
      const where = { organizationId_userId: { organizationId, userId } }
      const found = await translateDatabaseErrors(prisma.organizationMember.findUnique({ where }))
      return found?.role
    },
  }
}
