import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { PendingLogin, SocialLoginStore } from '../../providers/social-login.ts'

const addSql = `
  insert into identity.social_logins
    (state_digest, browser_digest, provider, nonce, code_verifier, return_to, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`

const takeSql = `
  delete from identity.social_logins
  where state_digest = $1 and browser_digest = any($2::bytea[]) and expires_at > now()
  returning provider, nonce, code_verifier as "codeVerifier", return_to as "returnTo"`

/** The logins under way at providers, in PostgreSQL, so that any replica can finish what another began. */
export function createSocialLoginStore({ pool }: Pick<Database, 'pool'>): SocialLoginStore {
  return {
    async add({ stateDigest, browserDigest, provider, nonce, codeVerifier, returnTo, lifetime }) {
      await translateDatabaseErrors(
        pool.query(addSql, [
          ...[stateDigest, browserDigest, provider, nonce, codeVerifier],
          ...[returnTo ?? '', lifetime],
        ]),
      )
    },

    async take(stateDigest, browserDigests) {
      const { rows } = await translateDatabaseErrors(
        pool.query<PendingLogin & { returnTo: string }>(takeSql, [stateDigest, browserDigests]),
      )
      return rows[0] && { ...rows[0], returnTo: rows[0].returnTo || undefined }
    },
  }
}
