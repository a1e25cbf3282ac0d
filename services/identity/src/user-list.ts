import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from '@gatehouse/kit/formats'
import { checkLimit, type Keyed, type Page, type PageRequest, pageOf, readCursor } from '@gatehouse/kit/page'

/** A user as administrators see them. */
export type UserRecord = {
  id: string
  username: string
  admin: boolean
  createdAt: Date
  /** undefined: the user is active. */
  disabledAt: Date | undefined
  /** False: the user logs in through social providers only. */
  hasPassword: boolean
}

/** A user's account at a social provider. */
export type LinkedAccount = {
  provider: string
  /** The provider's name for the person at the last login. It is for people to read; no decision may rest on it. */
  displayName: string
  linkedAt: Date
}

/** A user with their social accounts, in the order of linking. */
export type UserDetails = UserRecord & { socialAccounts: readonly LinkedAccount[] }

/** The position after which a list of users continues. */
export type UserPosition = {
  /** Whether the list has come to the names that contain the search text but do not begin with it. */
  inside: boolean
  /** In lower case. */
  name: string
}

/** Reads users. */
export type UserListStore = {
  /**
   * Lists users by name, ignoring case: first the names that begin with the search text, then those that contain it
   * elsewhere. The key of each is `0` or, in the second part, `1`, and the name.
   * @param wanted.search a part of a name; empty for all users
   */
  list(wanted: {
    search: string
    after: UserPosition | undefined
    limit: number
  }): Promise<Keyed<UserRecord>[]>
  get(userId: string): Promise<UserDetails | undefined>
  /** The number of users; an estimate from 100,000 on. */
  total(): Promise<number>
}

/**
 * Lists users for administrators, by name: first the names that begin with the search text, then those that contain it.
 * @param request search: a part of a name, ignoring case (with fewer than three characters, the beginning of a name), or a
 *   whole user id
 * @throws Refusal invalid_request for an invalid limit or cursor
 */
export async function listUsers(
  { search, cursor, limit }: PageRequest & { search: string },
  store: UserListStore,
): Promise<Page<UserRecord> & { total: number }> {
  const most = checkLimit(limit)
  const text = search.trim()
  const after = positionOf(cursor)
  const find = async (): Promise<Page<UserRecord>> => {
    const userId = text.toLowerCase()
    const user = isUuid(userId) ? await store.get(userId) : undefined
    if (user) return { items: [user], nextCursor: '' }
    return pageOf(await store.list({ search: text, after, limit: most + 1 }), most)
  }
  const [page, total] = await Promise.all([find(), store.total()])
  return { ...page, total }
}

function positionOf(cursor: string): UserPosition | undefined {
  const [inside, name = ''] = readCursor(cursor, 2) ?? []
  if (inside === undefined) return undefined
  if (inside !== '0' && inside !== '1') throw new Refusal('invalid_request', 'cursor is invalid.')
  return { inside: inside === '1', name }
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
