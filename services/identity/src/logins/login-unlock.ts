import type { Actor } from '@gatehouse/kit/actor'
import { networkOf } from '@gatehouse/kit/network'
import { storable } from '@gatehouse/kit/storable'
import { getUser, type UserListStore } from '../users/user-list.ts'

/** Clears counters of failed logins. */
export type LoginUnlockStore = {
  /** The addresses of the user's failed logins whose counters may still count. */
  failedFrom(userId: string): Promise<readonly string[]>
  /**
   * Clears the failures of these names, from these networks and in all. Those of whole networks, which anybody may have caused, and
   * attempts under way stay counted. Writes an audit entry if there were any.
   */
  clear(
    wanted: { userId: string; names: readonly string[]; networks: readonly string[] },
    actor: Actor,
  ): Promise<void>
}

/** The needs of unlocking. */
export type LoginUnlockDeps = { unlocks: LoginUnlockStore; users: Pick<UserListStore, 'get'> }

/**
 * Lets a user try passwords again after wrong ones. It clears what was counted for their name and address of mail, and nothing else.
 * @throws Refusal not_found
 */
export async function unlockUser(
  userId: string,
  actor: Actor,
  { unlocks, users }: LoginUnlockDeps,
): Promise<void> {
  const { id, username, attributes } = await getUser(userId, users)
  const email = attributes.email
  const networks = (await unlocks.failedFrom(id)).map((address) => storable(networkOf(address)))
  const names = typeof email === 'string' ? [username, email] : [username]
  await unlocks.clear({ userId: id, names, networks: [...new Set(networks)] }, actor)
}
