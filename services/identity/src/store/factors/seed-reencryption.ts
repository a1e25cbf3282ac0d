import type { EncryptedContents, EncryptedRow } from '@gatehouse/data/reencryption'
import type { Database } from '@gatehouse/prisma/database'
import { enrolmentLifetime } from '../../factors/authenticator-app.ts'
import type { SeedEncryption } from '../../factors/seed-encryption.ts'

/**
 * The seeds of authenticator apps, which are encrypted with OAUTH2_FACTOR_KEY. Those of enrolments are not rewritten: they end within
 * minutes, and one that becomes an app is encrypted with the current key then.
 * @param seeds undefined without OAUTH2_FACTOR_KEY
 */
export function encryptedSeeds(
  { pool }: Pick<Database, 'pool'>,
  seeds: SeedEncryption | undefined,
): EncryptedContents<EncryptedRow> {
  return {
    variable: 'OAUTH2_FACTOR_KEY',
    table: 'identity.totp_factors',
    columns: [],
    id: { column: 'user_id', type: 'uuid' },
    content: 'seed',
    renewed: ({ id: userId, content }) => seeds?.renewed(content, userId),
    async ends() {
      const { rows } = await pool.query<{ enrolments: Date; sessions: Date | null }>(
        `select now() + make_interval(secs => $1) as enrolments,
          (select max(expires_at) from identity.sessions where expires_at > now()) as sessions`,
        [enrolmentLifetime],
      )
      return { neededUntil: rows[0]?.enrolments, sessionsUntil: rows[0]?.sessions ?? undefined }
    },
  }
}
