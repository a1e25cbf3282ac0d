import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { AuthenticatorAppStore } from '../../factors/authenticator-app.ts'

const useSql = `
  update identity.totp_factors set last_step = $3, last_used_at = now()
  where user_id = $1 and seed = $2 and last_step < $3`

const beginSql = `
  insert into identity.totp_enrolments as e (user_id, owner_digest, seed, expires_at)
  values ($1, $2, $3, now() + make_interval(secs => $4))
  on conflict (user_id) do update set owner_digest = excluded.owner_digest, expires_at = excluded.expires_at,
    seed = case when e.owner_digest = excluded.owner_digest and e.expires_at > now() then e.seed else excluded.seed end
  returning seed`

const findEnrolmentSql = `
  select seed from identity.totp_enrolments where user_id = $1 and owner_digest = $2 and expires_at > now()`

type SeedRow = { seed: Buffer }

/** The authenticator apps in PostgreSQL. */
export function createAuthenticatorAppStore({ pool }: Pick<Database, 'pool'>): AuthenticatorAppStore {
  const seedOf = async (text: string, values: unknown[]) => {
    const { rows } = await translateDatabaseErrors(pool.query<SeedRow>(text, values))
    return rows[0]?.seed
  }
  return {
    find: (userId) => seedOf('select seed from identity.totp_factors where user_id = $1', [userId]),

    async useStep(userId, seed, step) {
      const { rowCount } = await translateDatabaseErrors(pool.query(useSql, [userId, seed, step]))
      return rowCount === 1
    },

    async begin({ userId, ownerDigest, seed, lifetime }) {
      const begun = await seedOf(beginSql, [userId, ownerDigest, seed, lifetime])
      if (begun === undefined) throw new Error('the statement returned no row')
      return begun
    },

    findEnrolment: (userId, ownerDigest) => seedOf(findEnrolmentSql, [userId, ownerDigest]),
  }
}
