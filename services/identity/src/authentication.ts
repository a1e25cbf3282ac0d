import { hashPassword, isPassword } from './password.ts'
import type { User, UserStore } from './user.ts'

/** In characters; longer passwords are refused before they are hashed. */
const longestPassword = 1_024

/**
 * Says who has this name and this password. Wrong, unknown and disabled take the same time.
 * @returns the user, or undefined
 */
export async function authenticateUser(
  username: string,
  password: string,
  store: Pick<UserStore, 'findByName'>,
): Promise<User | undefined> {
  const user = await store.findByName(username)
  const right = await isPassword(user?.passwordHash, password.slice(0, longestPassword + 1))
  return right && user && !user.disabled ? user : undefined
}

/**
 * Creates the first administrator, unless there is a user of that name: a changed password stays changed.
 * @returns whether the administrator was created
 */
export async function seedAdministrator(
  username: string,
  password: string,
  store: UserStore,
  randomUuid: () => string,
): Promise<boolean> {
  if (await store.findByName(username)) return false
  return store.add({ id: randomUuid(), username, passwordHash: await hashPassword(password), admin: true })
}
