import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { FactorListStore } from '../../factors/factor-list.ts'

/** The factors in PostgreSQL, as people see them. */
export function createFactorListStore({ prisma }: Pick<Database, 'prisma'>): FactorListStore {
  return {
    async list(userId) {
      const where = { userId }
      const [passkeys, app, recoveryCodesLeft] = await translateDatabaseErrors(
        Promise.all([
          prisma.passkey.findMany({
            where,
            select: { id: true, name: true, createdAt: true, lastUsedAt: true, backedUp: true },
            orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
          }),
          prisma.totpFactor.findUnique({ where, select: { confirmedAt: true, lastUsedAt: true } }),
          prisma.recoveryCode.count({ where: { userId, usedAt: null } }),
        ]),
      )
      return {
        passkeys: passkeys.map((passkey) => ({ ...passkey, lastUsedAt: passkey.lastUsedAt ?? undefined })),
        app: app ? { createdAt: app.confirmedAt, lastUsedAt: app.lastUsedAt ?? undefined } : undefined,
        recoveryCodesLeft,
      }
    },
  }
}
