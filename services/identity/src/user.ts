import { visibleTextFault } from '@gatehouse/kit/visible-text'
import { hasLength } from './text.ts'

/** A user as it is kept. */
export type User = {
  id: string
  username: string
  /** undefined: cannot log in by password. */
  passwordHash: string | undefined
  admin: boolean
  disabled: boolean
}

/** A user as others may see them. */
export type PublicUser = Pick<User, 'id' | 'username' | 'admin'>

/** Where users are kept. Names that differ in case alone are the same name. */
export type UserStore = {
  findByName(username: string): Promise<User | undefined>
  /** @returns false when there is a user of this name already, who is not changed */
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
  if (visibleTextFault(username)) return 'must consist of visible characters'
  if (/^client_/i.test(username)) return 'must not begin with client_'
  return undefined
}
