import { type ListRequest, type ListStore, listAdministered } from '@gatehouse/kit/administered/list-request'
import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import type { Page } from '@gatehouse/kit/page'
import { users } from '@gatehouse/proto/administered/users'
import type { AdminRole } from '@gatehouse/proto/administration'
import type { UserAttributes } from '@gatehouse/proto/people/user-attributes'

/** A user as administrators see them. */
export type UserRecord = {
  id: string
  username: string
  /** Their role in the administration; null for none. */
  adminRole: AdminRole | null
  createdAt: Date
  /** undefined: the user is active. */
  disabledAt: Date | undefined
  /** False: the user logs in through social providers only. */
  hasPassword: boolean
  attributes: UserAttributes
  /** The columns of the list without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** A user's account at a social provider. */
export type LinkedAccount = {
  provider: string
  /** The provider's name for the person at the last login. It is for people to read; no decision may rest on it. */
  displayName: string
  linkedAt: Date
}

/** A user with their social accounts, in the order of linking. */
export type UserDetails = UserRecord & {
  socialAccounts: readonly LinkedAccount[]
  /** Changes with the attributes. */
  revision: bigint
}

/** Reads users. */
export type UserListStore = ListStore<typeof users, UserRecord> & {
  get(userId: string): Promise<UserDetails | undefined>
}

/**
 * Users for administrators. Sorted by name, a search gives first the users whose names begin with the text; it may also be a whole id.
 * @throws Refusal as listAdministered
 */
export function listUsers(
  request: ListRequest,
  store: UserListStore,
): Promise<Page<UserRecord> & { total: number }> {
  return listAdministered(users, request, {
    total: store.total,
    async list(wanted) {
      const userId = wanted.search?.toLowerCase()
      const user = userId !== undefined && isUuid(userId) ? await store.get(userId) : undefined
      return user ? { items: [user], nextCursor: undefined } : store.list(wanted)
    },
  })
}

/**
 * Finds a user for administrators.
 * @throws Refusal not_found
 */
export async function getUser(userId: string, store: Pick<UserListStore, 'get'>): Promise<UserDetails> {
  const user = isUuid(userId) ? await store.get(userId) : undefined
  if (user === undefined) throw unknownUser()
  return user
}

/** The refusal for an id that no user has. */
export function unknownUser(): Refusal {
  return new Refusal('not_found', 'There is no such user.')
}
