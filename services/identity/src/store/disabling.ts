import { answered } from '@gatehouse/prisma/answered'
import type { Database } from '@gatehouse/prisma/database'
import type { DisablingStore } from '../disabling.ts'
import { addPendingRevocation } from './pending-revocations.ts'

/** Shutting users out, in PostgreSQL. */
export function createDisablingStore({ prisma }: Pick<Database, 'prisma'>): DisablingStore {
  return {
    async disable(userId) {
      return answered(
        prisma.$transaction(async (transaction) => {
          // All active administrators are locked, always in this order: of two who are disabled at once, the second
          // waits here, and does not find the first any more.
          const administrators = await transaction.$queryRaw<{ id: string }[]>`
            select id from identity.users where is_admin and disabled_at is null
            order by id for no key update`
          if (administrators.length === 1 && administrators[0]?.id === userId) return 'last administrator'
          const count = await transaction.$executeRaw`
            update identity.users set disabled_at = coalesce(disabled_at, now()), updated_at = now()
            where id = ${userId}::uuid`
          if (count === 0) return 'unknown'
          // A statement of its own: it sees the sessions of logins that the one before waited for.
          await transaction.session.deleteMany({ where: { userId } })
          return addPendingRevocation(transaction, 'user', userId)
        }),
      )
    },

    async enable(userId) {
      const { count } = await answered(
        prisma.user.updateMany({ where: { id: userId }, data: { disabledAt: null } }),
      )
      return count === 1
    },
  }
}
