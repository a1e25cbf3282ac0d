import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { WebauthnChallengeStore } from '../../factors/webauthn.ts'

const addSql = `
  insert into identity.webauthn_challenges (challenge_digest, purpose, owner_digest, expires_at)
  values ($1, $2, $3, now() + make_interval(secs => $4))`

const spendSql = `
  delete from identity.webauthn_challenges
  where challenge_digest = $1 and purpose = $2 and owner_digest = $3 and expires_at > now()`

/** The challenges of WebAuthn ceremonies in PostgreSQL, so that any replica can finish what another began. */
export function createWebauthnChallengeStore({ pool }: Pick<Database, 'pool'>): WebauthnChallengeStore {
  return {
    async add({ challengeDigest, purpose, ownerDigest, lifetime }) {
      await translateDatabaseErrors(pool.query(addSql, [challengeDigest, purpose, ownerDigest, lifetime]))
    },

    async spend({ challengeDigest, purpose, ownerDigest }) {
      const { rowCount } = await translateDatabaseErrors(
        pool.query(spendSql, [challengeDigest, purpose, ownerDigest]),
      )
      return rowCount === 1
    },
  }
}
