import { inTransaction } from '@gatehouse/data/in-transaction'
import { addPendingRevocation } from '@gatehouse/data/pending-revocations'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { PasswordStore } from '../../accounts/password-change.ts'
import { endMailLinks } from '../mail/mail-links.ts'
import type { MailWriter } from '../mail/mails.ts'
import { hasFactorSql, provenSql } from '../second-factors.ts'
import { createEndSessions } from '../session-ends.ts'

const ownerSql = `
  select s.id as "sessionId", u.id, u.username, u.password_hash as "passwordHash"
  from identity.sessions s join identity.users u on u.id = s.user_id
  where s.secret_digest = $1 and s.expires_at > now() and u.disabled_at is null
    and (not ${hasFactorSql('u.id')} or ${provenSql('s.methods')})`

type OwnerRow = { sessionId: string; id: string; username: string; passwordHash: string | null }

/**
 * The passwords in PostgreSQL, as their users change them.
 * @param options recorded: whether the token service must be told of sessions that end: where OpenID Connect is on
 */
export function createPasswordStore(
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { recorded, mails }: { recorded: boolean; mails: MailWriter },
): PasswordStore {
  const endSessions = createEndSessions(recorded)
  return {
    async findBySession(secretDigest) {
      const { rows } = await translateDatabaseErrors(pool.query<OwnerRow>(ownerSql, [secretDigest]))
      const row = rows[0]
      return row && { ...row, passwordHash: row.passwordHash ?? undefined }
    },

    async change({ userId, checkedHash, newHash, currentSessionId, keepAccess }) {
      return inTransaction({ prisma }, async (transaction) => {
        const { count } = await transaction.user.updateMany({
          where: { id: userId, passwordHash: checkedHash, disabledAt: null },
          data: { passwordHash: newHash },
        })
        if (count === 0) return 'unchanged' as const
        await endMailLinks(transaction, userId)
        await mails.toUser(transaction, { kind: 'password_changed', userId, content: { at: Date.now() } })
        if (keepAccess) return []
        const { revocationIds } = await endSessions(transaction, { userId, exceptId: currentSessionId })
        const everything = { kind: 'user', target: userId } as const
        return [await addPendingRevocation(transaction, 'identity', everything), ...revocationIds]
      })
    },
  }
}
