import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database } from '@gatehouse/prisma/database'
import type { User, UserStore } from '../user.ts'

type UserRow = Omit<User, 'passwordHash'> & { passwordHash: string | null }

/** The users in PostgreSQL. */
export function createUserStore({ prisma }: Pick<Database, 'prisma'>): UserStore {
  return {
    // Raw SQL, because Prisma's case-insensitive comparison treats the name as a pattern and does not use the index.
    async findByName(username) {
      const [row] = await translateDatabaseErrors(
        prisma.$queryRaw<UserRow[]>`
          select id, username, password_hash as "passwordHash", is_admin as admin,
            disabled_at is not null as disabled
          from identity.users where lower(username) = lower(${username})`,
      )
      return row && { ...row, passwordHash: row.passwordHash ?? undefined }
    },

    async add({ id, username, passwordHash, admin }) {
      const { count } = await translateDatabaseErrors(
        prisma.user.createMany({
          data: [{ id, username, passwordHash: passwordHash ?? null, isAdmin: admin }],
          skipDuplicates: true,
        }),
      )
      return count === 1
    },

    async rehash({ id, checkedHash, newHash }) {
      const { count } = await translateDatabaseErrors(
        prisma.user.updateMany({
          where: { id, passwordHash: checkedHash },
          data: { passwordHash: newHash },
        }),
      )
      return count === 1
    },
  }
}
