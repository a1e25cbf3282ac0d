import { carriedIn } from '@gatehouse/data/carried-columns'
import { readPage } from '@gatehouse/data/list'
import type { List } from '@gatehouse/data/list-rows'
import { countRows } from '@gatehouse/data/row-count'
import { translateDatabaseErrors } from '@gatehouse/data/translate-database-errors'
import type { Database, Prisma } from '@gatehouse/prisma/database'
import type { FilterValues } from '@gatehouse/proto/administered/administered'
import { users as definition } from '@gatehouse/proto/administered/users'
import type { AdminRole } from '@gatehouse/proto/administration'
import { attributesOf } from '../../users/user-attributes.ts'
import type { UserDetails, UserListStore, UserRecord } from '../../users/user-list.ts'
import { roleIn } from '../admin-roles.ts'

type UserRow = Omit<UserRecord, 'disabledAt' | 'adminRole' | 'columns'> & {
  disabledAt: Date | null
  isAdmin: boolean
  adminRole: string | null
  name: string
  email: string | null
}

function recordOf(row: UserRow): UserRecord {
  const { name: _, email: __, isAdmin, adminRole, disabledAt, attributes, ...user } = row
  return {
    ...user,
    adminRole: roleIn({ isAdmin, adminRole }),
    disabledAt: disabledAt ?? undefined,
    attributes: attributesOf(attributes),
    columns: carriedIn(definition, row),
  }
}

/** The condition that a user has a role, as the partial indexes of administrators say it. */
const roleSql = (role: AdminRole) =>
  role === 'owner' ? 'r."isAdmin"' : `not r."isAdmin" and r."adminRole" = '${role}'`

type Filter = FilterValues<typeof definition>

const users: List<Filter> = {
  rows: `
    select id, username, is_admin as "isAdmin", admin_role as "adminRole", created_at as "createdAt", disabled_at as "disabledAt",
      password_hash is not null as "hasPassword", attributes, lower(username) as name,
      lower(attributes ->> 'email') as email
    from identity.users`,
  matches: (pattern) => `(r.name like lower(${pattern}) or r.email like lower(${pattern}))`,
  sorts: {
    username: [{ column: 'r.name', type: 'bytes' }],
    created_at: [
      { column: 'r."createdAt"', type: 'moment' },
      { column: 'r.id', type: 'uuid' },
    ],
  },
  beginningFirst: { sort: 'username', matches: (pattern) => `r.name like lower(${pattern})` },
  // As the partial indexes of owners and of disabled users say it.
  conditions: {
    disabled: (is) => `r."disabledAt" is ${is ? 'not null' : 'null'}`,
    admin: (is) => `${is ? '' : 'not '}r."isAdmin"`,
    admin_role: roleSql,
  },
}

/** The users in PostgreSQL, as administrators view them. */
export function createUserListStore(database: Pick<Database, 'pool' | 'prisma'>): UserListStore {
  const { prisma } = database
  return {
    async list(wanted) {
      const { items, nextCursor } = await readPage<UserRow, Filter>(database, users, wanted)
      return { items: items.map(recordOf), nextCursor }
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
    adminRole: roleIn(row),
    createdAt: row.createdAt,
    disabledAt: row.disabledAt ?? undefined,
    hasPassword: row.passwordHash !== null,
    attributes: attributesOf(row.attributes),
    columns: carriedIn(definition, row),
    revision: BigInt(row.attributesUpdatedAt.getTime()),
    socialAccounts: row.socialAccounts.map(({ provider, displayName, linkedAt }) => ({
      provider,
      displayName,
      linkedAt,
    })),
  }
}
