import { inTransaction } from '@gatehouse/data/in-transaction'
import type { Database } from '@gatehouse/prisma/database'
import type { RecoveryCodeStore } from '../../factors/recovery-code.ts'
import type { MailWriter } from '../mail/mails.ts'

/** The recovery codes in PostgreSQL. */
export function createRecoveryCodeStore(
  { prisma }: Pick<Database, 'prisma'>,
  mails: MailWriter,
): RecoveryCodeStore {
  return {
    use: (userId, codeDigest) =>
      inTransaction({ prisma }, async (transaction) => {
        const used = await transaction.$executeRaw`
          update identity.recovery_codes set used_at = now()
          where user_id = ${userId}::uuid and code_digest = ${codeDigest} and used_at is null`
        if (used === 0) return false
        await mails.toUser(transaction, { kind: 'recovery_code_used', userId, content: { at: Date.now() } })
        return true
      }),
  }
}
