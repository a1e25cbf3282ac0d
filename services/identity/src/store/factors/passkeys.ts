import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { Passkey, PasskeyStore } from '../../factors/passkey.ts'
import { adminRoleSql } from '../admin-roles.ts'

const findSql = `
  select p.id, p.credential_id as "credentialId", p.public_key as "publicKey", p.transports,
    p.backup_eligible as "backupEligible", p.user_verified as "userVerified", u.id as user_id, u.username, ${adminRoleSql('u')} as "adminRole"
  from identity.passkeys p join identity.users u on u.id = p.user_id
  where p.credential_id = $1`

// WebAuthn Level 3 section 6.1.1: a counter that does not grow is a sign of a copy, unless the authenticator does not count, or
// the passkey may be on several devices.
const usedSql = `
  update identity.passkeys set counter = $2, backed_up = $3, last_used_at = now(), user_verified = user_verified or $4::boolean
  where id = $1 and (backup_eligible or counter < $2::bigint or (counter = 0 and $2::bigint = 0))
  returning id, user_id`

const loginSql = `
  with used as (${usedSql})
  insert into identity.pending_logins
    (secret_digest, user_id, login_method, methods, ip_address, user_agent, client_id, expires_at)
  select $5::bytea, user_id, $6::text, $7::text[], $8::text, $9::text, $10::text, now() + make_interval(secs => $11)
  from used`

type PasskeyRow = Omit<Passkey, 'user'> & { user_id: string } & Omit<Passkey['user'], 'id'>

/** The passkeys in PostgreSQL. */
export function createPasskeyStore({ pool }: Pick<Database, 'pool'>): PasskeyStore {
  return {
    async find(credentialId) {
      const { rows } = await translateDatabaseErrors(pool.query<PasskeyRow>(findSql, [credentialId]))
      const [row] = rows
      if (row === undefined) return undefined
      const { user_id: id, username, adminRole, ...passkey } = row
      return { ...passkey, user: { id, username, adminRole } }
    },

    async use(id, { counter, backedUp, userVerified }, login) {
      const values = login
        ? [
            login.secretDigest,
            login.loginMethod,
            login.methods,
            login.ipAddress,
            login.userAgent,
            login.clientId ?? '',
            login.lifetime,
          ]
        : []
      const { rowCount } = await translateDatabaseErrors(
        pool.query(login ? loginSql : usedSql, [id, counter, backedUp, userVerified, ...values]),
      )
      if (rowCount === 1) return 'used'
      const { rows } = await translateDatabaseErrors(
        pool.query('select from identity.passkeys where id = $1', [id]),
      )
      return rows.length === 0 ? 'unknown' : 'counter'
    },
  }
}
