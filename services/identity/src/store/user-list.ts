import { countRows } from '@gatehouse/data/row-count'
import { type SearchableList, searchList } from '@gatehouse/data/search'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { UserDetails, UserListStore, UserRecord } from '../user-list.ts'

type UserRow = Omit<UserRecord, 'disabledAt'> & { disabledAt: Date | null; key: string }

// In the order of the index that serves LIKE, by the bytes of the lower-case name.
const byName: SearchableList = {
  rows: `
    select id, username, is_admin as admin, created_at as "createdAt", disabled_at as "disabledAt",
      password_hash is not null as "hasPassword", lower(username) as key
    from identity.users`,
  matches: 'r.key like lower($1)',
  after: '($3::text is null or r.key ~>~ $3)',
  order: 'r.key using ~<~',
}

/** The users in PostgreSQL, as administrators look at them. */
export function createUserListStore(database: Pick<Database, 'pool' | 'prisma'>): UserListStore {
  const { prisma } = database
  return {
    async list({ search, after, limit }) {
      const rows = await translateDatabaseErrors(
        searchList<UserRow>(database, byName, { text: search, after: [after ?? null], limit }),
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
