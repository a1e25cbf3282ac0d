import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import {
  type FactorOwner,
  type FactorOwnerStore,
  type FactorPolicy,
  freshSeconds,
  type OwnerState,
} from '../../logins/second-factor.ts'
import { adminRoleSql } from '../admin-roles.ts'
import { hasFactorSql, passwordDigestSql, provenSql, requiredSql } from '../second-factors.ts'

/** The rows of owners that have not ended, as `o`, with their users as `u`. The digest of the secret is $1. */
const owned = {
  session: `identity.sessions o join identity.users u on u.id = o.user_id
    where o.secret_digest = $1 and o.expires_at > now() and u.disabled_at is null`,
  pending: `identity.pending_logins o join identity.users u on u.id = o.user_id
    where o.secret_digest = $1 and o.expires_at > now() and u.disabled_at is null
      and (o.password_digest is null or o.password_digest = ${passwordDigestSql('u.password_hash')})`,
} as const

const freshSql = {
  session: `o.authenticated_at > now() - interval '${freshSeconds} seconds'`,
  pending: 'true',
} as const

const loginSql = {
  session: `'' as "loginMethod", null as "clientId"`,
  pending: 'o.login_method as "loginMethod", nullif(o.client_id, \'\') as "clientId"',
} as const

const findSql = (kind: FactorOwner['kind']) => `
  select u.id, u.username, ${adminRoleSql('u')} as "adminRole", o.methods, ${loginSql[kind]}, ${freshSql[kind]} as fresh,
    exists (select from identity.totp_factors where user_id = u.id) as totp,
    (select count(*) from identity.recovery_codes where user_id = u.id and used_at is null)::int as "recoveryCodesLeft",
    array(select credential_id from identity.passkeys where user_id = u.id order by created_at, id) as ids,
    array(select array_to_string(transports, ' ') from identity.passkeys where user_id = u.id order by created_at, id)
      as transports
  from ${owned[kind]}`

type OwnerRow = Pick<OwnerState, 'methods' | 'loginMethod' | 'fresh' | 'totp' | 'recoveryCodesLeft'> &
  OwnerState['user'] & { clientId: string | null; ids: Buffer[]; transports: string[] }

/** The owners of factors in PostgreSQL. */
export function createFactorOwnerStore({ pool }: Pick<Database, 'pool'>): FactorOwnerStore {
  return {
    async find({ kind, digest }) {
      const { rows } = await translateDatabaseErrors(pool.query<OwnerRow>(findSql(kind), [digest]))
      const [row] = rows
      if (row === undefined) return undefined
      const { id, username, adminRole, clientId, ids, transports, ...state } = row
      const passkeys = ids.map((credentialId, index) => ({
        credentialId,
        transports: (transports[index] ?? '').split(' ').filter((word) => word !== ''),
      }))
      return { ...state, clientId: clientId ?? undefined, user: { id, username, adminRole }, passkeys }
    },
  }
}

const lockSql = {
  session: `select id from identity.users
    where id = (select user_id from identity.sessions where secret_digest = $1) for no key update`,
  pending: `select id from identity.users
    where id = (select user_id from identity.pending_logins where secret_digest = $1) for no key update`,
} as const

// A pending login may only enrol a user's first factor.
const changingSql = (kind: FactorOwner['kind'], policy: FactorPolicy) => `
  select u.id as "userId", ${kind === 'session' ? 'o.id' : 'null::uuid'} as "sessionId", ${requiredSql('u', policy)} as required,
    (select count(*) from identity.passkeys where user_id = u.id)::int as passkeys,
    exists (select from identity.totp_factors where user_id = u.id) as app
  from ${owned[kind]} and ${freshSql[kind]}
    and (not ${hasFactorSql('u.id')}${kind === 'session' ? ` or ${provenSql('o.methods')}` : ''})`

/** A locked user whose factors may be changed. */
export type ChangingUser = {
  userId: string
  /** The session that changes them; null for a pending login. */
  sessionId: string | null
  /** Whether OAUTH2_MFA demands a factor of them. */
  required: boolean
  /** How many they have. */
  passkeys: number
  app: boolean
}

/**
 * Locks the user of an owner until the transaction ends.
 * @returns undefined when the owner may not change the user's factors now
 */
export async function lockChangingUser(
  transaction: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  { kind, digest }: FactorOwner,
  policy: FactorPolicy,
): Promise<ChangingUser | undefined> {
  await transaction.$queryRawUnsafe(lockSql[kind], digest)
  // A statement of its own, so that it sees what the transactions did for which the lock waited.
  const [user] = await transaction.$queryRawUnsafe<ChangingUser[]>(changingSql(kind, policy), digest)
  return user
}
