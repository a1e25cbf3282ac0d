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

/** Somebody at a social provider, who is a user here. */
export type LinkedAccount = {
  provider: string
  /** As the provider named the user at the last login: for people, not for decisions. */
  displayName: string
  linkedAt: Date
}

/** A user with the linked social accounts, the first linked first. */
export type UserDetails = UserRecord & { socialAccounts: readonly LinkedAccount[] }

/** Where a list of users goes on. */
export type UserPosition = {
  /** Whether it has come to the names that have what is searched inside. */
  inside: boolean
  /** In lower case. */
  name: string
}

/** Where users are looked at. */
export type UserListStore = {
  /**
   * By name, whatever the case: first the names that begin with what is searched, then those that have it inside. The key of
   * each is `0` or `1` for inside, and the name.
   * @param wanted.search a part of a name; empty: all
   */
  list(wanted: {
    search: string
    after: UserPosition | undefined
    limit: number
  }): Promise<Keyed<UserRecord>[]>
  get(userId: string): Promise<UserDetails | undefined>
  /** How many there are in all; from 100,000 on about so many. */
  total(): Promise<number>
}

/**
 * Users for administrators, by name: first the names that begin with what is searched, then those that have it inside.
 * @param request search: a part of a name, whatever the case (of fewer than three characters: the beginning), or a whole user id
 * @throws Refusal invalid_request for a limit or cursor that is none
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
 * One user for administrators.
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
