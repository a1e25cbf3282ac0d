import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { RecoveryCodeStore } from '../recovery-code.ts'

const useSql = `
  update identity.recovery_codes set used_at = now()
  where user_id = $1 and code_digest = $2 and used_at is null`

/** The recovery codes in PostgreSQL. */
export function createRecoveryCodeStore({ pool }: Pick<Database, 'pool'>): RecoveryCodeStore {
  return {
    async use(userId, codeDigest) {
      const { rowCount } = await translateDatabaseErrors(pool.query(useSql, [userId, codeDigest]))
      return rowCount === 1
    },
  }
}
