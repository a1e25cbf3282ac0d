import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, checkSort, type Page, type PageRequest } from '@gatehouse/kit/page'
import type { AdminRole } from '@gatehouse/proto/administration'
import { userSorts } from '@gatehouse/proto/lists'
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

/** Which users a list has: those of whom all of this is true. */
export type UserFilter = {
  disabled?: boolean | undefined
  /** Whether they are owners. */
  admin?: boolean | undefined
  adminRole?: AdminRole | undefined
}

/** Which page of the users is wanted. */
export type WantedUsers = PageRequest & {
  /** A part of a name or an e-mail address, whatever the case; of fewer than three characters its beginning; empty: all. */
  search: string
  sort: (typeof userSorts)[number]
  filter: UserFilter
}

/** Reads users. */
export type UserListStore = {
  /**
   * Sorted by name, a search gives first the users whose names begin with the text.
   * @throws Refusal invalid_request for an invalid cursor
   */
  list(wanted: WantedUsers): Promise<Page<UserRecord>>
  get(userId: string): Promise<UserDetails | undefined>
  /** The number of users; an estimate from 100,000 on. */
  total(): Promise<number>
}

/**
 * Users for administrators.
 * @param request search: also a whole user id; sort: one of `userSorts`; empty: by name
 * @throws Refusal invalid_request for an invalid limit, cursor or sort
 */
export async function listUsers(
  { search, sort, cursor, limit, ...filter }: PageRequest & { search: string; sort: string } & UserFilter,
  store: UserListStore,
): Promise<Page<UserRecord> & { total: number }> {
  const text = search.trim()
  const wanted = { search: text, sort: checkSort(sort, userSorts), filter, cursor, limit: checkLimit(limit) }
  const find = async (): Promise<Page<UserRecord>> => {
    const userId = text.toLowerCase()
    const user = isUuid(userId) ? await store.get(userId) : undefined
    return user ? { items: [user], nextCursor: '' } : store.list(wanted)
  }
  const [page, total] = await Promise.all([find(), store.total()])
  return { ...page, total }
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
