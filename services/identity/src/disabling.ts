import { Refusal } from '@gatehouse/kit/errors'
import { isUuid } from './text.ts'

/** Where users are shut out and let in. */
export type DisablingStore = {
  /**
   * Shuts a user out, ends his sessions, and writes down the revocation of his tokens: all or nothing.
   * @returns the pending revocation's id, or why nothing was done
   */
  disable(userId: string): Promise<bigint | 'unknown' | 'last administrator'>
  /** @returns false when there is no such user */
  enable(userId: string): Promise<boolean>
}

/** What shutting users out needs. */
export type DisablingDeps = {
  store: DisablingStore
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
}

/**
 * Shuts a user out, which ends his sessions, codes and tokens, or lets him in again, which brings none of them back.
 * @throws Refusal not_found for an unknown user, access_denied for the last administrator who is not shut out
 */
export async function setUserDisabled(
  { userId, disabled }: { userId: string; disabled: boolean },
  { store, deliver }: DisablingDeps,
): Promise<void> {
  const unknown = new Refusal('not_found', 'There is no such user.')
  if (!isUuid(userId)) throw unknown
  if (!disabled) {
    if (!(await store.enable(userId))) throw unknown
    return
  }
  const outcome = await store.disable(userId)
  if (outcome === 'unknown') throw unknown
  if (outcome === 'last administrator')
    throw new Refusal('access_denied', 'This is the last active administrator, who cannot be disabled.')
  await deliver(outcome)
}
