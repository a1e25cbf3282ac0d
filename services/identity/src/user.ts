import { Refusal } from '@gatehouse/kit/errors'
import { isAcceptablePassword, type PasswordHashing, passwordRule } from './password.ts'
import { hasLength } from './text.ts'

/** A user as he is kept. */
export type User = {
  id: string
  username: string
  /** undefined: cannot log in by password. */
  passwordHash: string | undefined
  admin: boolean
  disabled: boolean
}

/** A user as others may see him. */
export type PublicUser = Pick<User, 'id' | 'username' | 'admin'>

/** Where users are kept. Names that differ in case alone are the same name. */
export type UserStore = {
  findByName(username: string): Promise<User | undefined>
  /** @returns false when there is a user of this name already, who stays as he is */
  add(user: Pick<User, 'id' | 'username' | 'passwordHash' | 'admin'>): Promise<boolean>
  /**
   * Replaces the hash of a password by another of the same password.
   * @returns false when the hash is another by now, and stays
   */
  rehash(user: { id: string; checkedHash: string; newHash: string }): Promise<boolean>
}

/** In characters. */
export const longestUsername = 200

/**
 * Why a name will not do for a new user, as the end of a sentence; undefined: it will. Client ids begin with
 * `client_`, and a token names its user or its client in the same place.
 */
export function usernameFault(username: string): string | undefined {
  if (!hasLength(username, 1, longestUsername)) return `must have 1 to ${longestUsername} characters`
  // Cf has the invisible ones, by which one name can pass for another.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(username)) return 'must not contain white space or control characters'
  if (/^client_/i.test(username)) return 'must not begin with client_'
  return undefined
}

/** What adding a user needs. */
export type AddingDeps = {
  store: Pick<UserStore, 'add'>
  hashing: Pick<PasswordHashing, 'hash'>
  randomUuid(): string
}

/**
 * Adds a user.
 * @throws Refusal invalid_request naming the field that will not do
 */
export async function createUser(
  { username, password, admin }: { username: string; password: string; admin: boolean },
  { store, hashing, randomUuid }: AddingDeps,
): Promise<PublicUser> {
  const fault = usernameFault(username)
  if (fault) throw new Refusal('invalid_request', `username ${fault}.`)
  if (!isAcceptablePassword(password)) throw new Refusal('invalid_request', `password ${passwordRule}.`)
  const user = { id: randomUuid(), username, passwordHash: await hashing.hash(password), admin }
  if (!(await store.add(user)))
    throw new Refusal('invalid_request', 'username is taken: there is a user of this name.')
  return { id: user.id, username, admin }
}
