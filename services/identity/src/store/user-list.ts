import { countRows } from '@gatehouse/data/row-count'
import {
  beginningWith,
  containing,
  isSearchedInside,
  listPage,
  type SearchableList,
  searchInside,
} from '@gatehouse/data/search'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Keyed } from '@gatehouse/kit/page'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { UserDetails, UserListStore, UserRecord } from '../user-list.ts'

type UserRow = Omit<UserRecord, 'disabledAt'> & { disabledAt: Date | null; key: string }

// Sorted by the bytes of the lower-case name, as the index that serves LIKE.
const byName: SearchableList = {
  rows: `
    select id, username, is_admin as admin, created_at as "createdAt", disabled_at as "disabledAt",
      password_hash is not null as "hasPassword", lower(username) as key
    from identity.users`,
  matches: 'r.key like lower($1)',
  after: '($3::text is null or r.key ~>~ $3)',
  order: 'r.key using ~<~',
}

// $1 is the pattern of names that contain the text; without its first % it matches names that begin with the text.
const insideByName: SearchableList = {
  ...byName,
  matches: '(r.key like lower($1) and r.key not like lower(substr($1, 2)))',
}

/** The users in PostgreSQL, as administrators view them. */
export function createUserListStore(database: Pick<Database, 'pool' | 'prisma'>): UserListStore {
  const { prisma } = database
  return {
    async list({ search, after, limit }) {
      // First the names that begin with the text: the index has them together and in order.
      const beginning = after?.inside
        ? []
        : await listPage<UserRow>(database, byName, {
            pattern: beginningWith(search),
            after: [after?.name ?? null],
            limit,
          })
      const left = limit - beginning.length
      const inside =
        left === 0 || !isSearchedInside(search)
          ? []
          : await searchInside<UserRow>(database, insideByName, {
              pattern: containing(search),
              after: [after?.inside ? after.name : null],
              limit: left,
            })
      return [...beginning.map((row) => keyed(row, false)), ...inside.map((row) => keyed(row, true))]
    },

    get: (userId) => translateDatabaseErrors(findUser(prisma, userId)),
    total: () => countRows(database, 'identity.users'),
  }
}

function keyed({ key, disabledAt, ...user }: UserRow, inside: boolean): Keyed<UserRecord> {
  return { item: { ...user, disabledAt: disabledAt ?? undefined }, key: [inside ? '1' : '0', key] }
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
