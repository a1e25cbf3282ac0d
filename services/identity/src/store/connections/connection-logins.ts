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

/** How many logins of one network, or links and tries of one user, may be under way at a connection. They end after ten minutes. */
const mostOfOne = 100

/** How many logins of strangers may be under way at a connection. */
const mostUnderWay = 20_000

// Rows that another transaction removes are left to it, so that no two wait for each other.
/** Makes room for one more of those who begin. @param theirs the condition for their rows; $3 is the connection */
const roomSql = (theirs: string) => `
  delete from identity.connection_logins where state_digest in (
    select state_digest from identity.connection_logins where state_digest in (
      select state_digest from identity.connection_logins where connection_id = $3 and ${theirs}
      order by begun_at desc offset ${mostOfOne - 1}
    ) for update skip locked
  )`

// The network that has most loses, so that nobody else does to whom only one login belongs.
const crowdedSql = `
  delete from identity.connection_logins where state_digest in (
    select state_digest from identity.connection_logins where state_digest = (
      select (array_agg(state_digest order by begun_at))[1] from identity.connection_logins
      where connection_id = $3 and purpose = 'login' group by network order by count(*) desc, min(begun_at) limit 1
    ) and (
      select count(*) from identity.connection_logins where connection_id = $3 and purpose = 'login'
    ) >= ${mostUnderWay} for update skip locked
  )`

const addSql = `
  insert into identity.connection_logins
    (state_digest, browser_digest, connection_id, purpose, user_id, nonce, code_verifier, dpop_key, max_age, return_to, network, expires_at)
  values ($1, $2, $3, $4, $5::uuid, $6, $7, $8, $9::int, $10, $11, now() + make_interval(secs => $12))`

const addLoginSql = `
  with crowded as (${crowdedSql}), room as (${roomSql("purpose = 'login' and network = $11")}) ${addSql}`

const addOfUserSql = `
  with room as (${roomSql("purpose <> 'login' and user_id = $5::uuid")}) ${addSql}`

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
 * The logins, links and tries under way at the providers of connections, in PostgreSQL, so that any replica can finish what another began.
 * @param policy OAUTH2_MFA
 */
export function createConnectionLoginStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  policy: FactorPolicy,
): ConnectionLoginStore {
  return {
    async add({ stateDigest, browserDigest, connectionId, purpose, userId, lifetime, ...login }) {
      const { nonce, codeVerifier, proofKey, maxAge, returnTo, network } = login
      await translateDatabaseErrors(
        pool.query(purpose === 'login' ? addLoginSql : addOfUserSql, [
          ...[stateDigest, browserDigest, connectionId, purpose, userId ?? null, nonce, codeVerifier],
          ...[proofKey ?? null, maxAge ?? null, returnTo ?? '', network, lifetime],
        ]),
      )
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
