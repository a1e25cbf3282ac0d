import { countRows } from '@gatehouse/data/row-count'
import { beginsWith } from '@gatehouse/data/search'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { UserDetails, UserListStore, UserRecord } from '../user-list.ts'

type UserRow = Omit<UserRecord, 'disabledAt'> & { disabledAt: Date | null; key: string }

// In the order of the index that serves LIKE, so that it gives the page as it is: by the bytes of the lower-case name.
// PostgreSQL plans an unnamed statement for its values, so what they switch off costs nothing.
const listSql = `
  select id, username, is_admin as admin, created_at as "createdAt", disabled_at as "disabledAt",
    password_hash is not null as "hasPassword", lower(username) as key
  from identity.users
  where ($1 = '%' or lower(username) like lower($1)) and ($2::text is null or lower(username) ~>~ $2)
  order by lower(username) using ~<~ limit $3`

/** The users in PostgreSQL, as administrators look at them. */
export function createUserListStore(database: Pick<Database, 'pool' | 'prisma'>): UserListStore {
  const { pool, prisma } = database
  return {
    async list({ beginning, after, limit }) {
      const { rows } = await translateDatabaseErrors(
        pool.query<UserRow>(listSql, [beginsWith(beginning), after ?? null, limit]),
      )
      return rows.map(({ key, disabledAt, ...user }) => ({
        item: { ...user, disabledAt: disabledAt ?? undefined },
        key: [key],
      }))
    },

    get: (userId) => translateDatabaseErrors(findUser(prisma, userId)),
    total: () => countRows(database, 'identity.users'),
  }
}

/** A user as administrators see them. */
export async function findUser(
  prisma: Pick<Prisma.TransactionClient, 'user'>,
  userId: string,
): Promise<UserDetails | undefined> {
  const row = await prisma.user.findUnique({
    where: { id: userId },
    include: { socialAccounts: { orderBy: { linkedAt: 'asc' } } },
  })
  if (row === null) return undefined
  return {
    id: row.id,
    username: row.username,
    admin: row.isAdmin,
    createdAt: row.createdAt,
    disabledAt: row.disabledAt ?? undefined,
    hasPassword: row.passwordHash !== null,
    socialAccounts: row.socialAccounts.map(({ provider, displayName, linkedAt }) => ({
      provider,
      displayName,
      linkedAt,
    })),
  }
}
