import { type Actor, refuseLimited } from '@gatehouse/kit/actor'
import { getUser, type UserListStore } from './user-list.ts'

/**
 * Lets an administrator of only a part act on users who are no administrators. Somebody who becomes one meanwhile is as safe as
 * if they had become one afterwards.
 * @throws Refusal access_denied; not_found for an unknown user
 */
export async function checkReach(
  userId: string,
  actor: Actor,
  users: Pick<UserListStore, 'get'>,
): Promise<void> {
  if (actor.limited && (await getUser(userId, users)).adminRole)
    refuseLimited(actor, 'the user is an administrator')
}

/** Lets an administrator of only a part make nobody an administrator. @throws Refusal access_denied */
export function refusePromotion(actor: Pick<Actor, 'limited'>, promotes: boolean): void {
  if (promotes) refuseLimited(actor, 'it makes a user an administrator')
}
