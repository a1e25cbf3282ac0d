import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import type { AdminRole } from '@gatehouse/proto/administration'
import { hasLength } from '../basics/text.ts'

/** A user as stored. */
export type User = {
  id: string
  username: string
  /** undefined when the user cannot log in with a password. */
  passwordHash: string | undefined
  /** Their role in the administration; null for none. */
  adminRole: AdminRole | null
  disabled: boolean
}

/** A user as others may see them. */
export type PublicUser = Pick<User, 'id' | 'username' | 'adminRole'>

/** A user as logging in needs them. */
export type UserByName = User & {
  /** Whether the user has a second factor, or must have one. */
  secondFactorDemanded: boolean
}

/** Stores users. Names that differ only in case are the same name. */
export type UserStore = {
  findByName(username: string): Promise<UserByName | undefined>
  /** @returns false when a user of this name exists, who stays unchanged */
  add(user: Pick<User, 'id' | 'username' | 'passwordHash' | 'adminRole'>): Promise<boolean>
  /**
   * Replaces the hash of a password by a new hash of the same password.
   * @returns false when the stored hash has changed meanwhile, and stays
   */
  rehash(user: { id: string; checkedHash: string; newHash: string }): Promise<boolean>
}

/** Why a user cannot have the id of a client as their name or id, as the end of a sentence: its tokens would pass for theirs. */
export const clientsIdFault = 'is the id of a client: choose another one'

/** In characters. */
export const longestUsername = 200

/**
 * Why a name is invalid for a new user, as the end of a sentence; undefined for a valid name. `client_` is reserved for
 * client ids, because a token's `sub` is either a user or a client.
 */
export function usernameFault(username: string): string | undefined {
  if (!hasLength(username, 1, longestUsername)) return `must have 1 to ${longestUsername} characters`
  // \p{Cf} are the invisible characters, with which one name can imitate another.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(username)) return 'must not contain white space or control characters'
  if (visibleTextFault(username)) return 'must consist of visible characters'
  // PostgreSQL and JavaScript disagree on the lower case of İ. The others become ASCII in every normal form: K of K, ; and `.
  if (username.normalize('NFKC') !== username.normalize('NFC') || /[İ\u212a\u037e\u1fef]/u.test(username))
    return 'must not contain variants of other characters, such as ａ of a or ﬁ of fi'
  if (/^client_/i.test(username)) return 'must not begin with client_'
  return undefined
}
