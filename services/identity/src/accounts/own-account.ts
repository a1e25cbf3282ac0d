import { type Caller, keptCaller } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import type { FactorOwner } from '../logins/second-factor.ts'

/**
 * Stores what people do with their own accounts, each with an audit entry. Nothing is done unless the owner is a session whose
 * login was in the last `freshSeconds` and proved a second factor if the user has one: 'not allowed'.
 */
export type OwnAccountStore = {
  /** Records that a user downloads what is stored about them. */
  recordDownload(owner: FactorOwner, caller: Caller): Promise<{ userId: string } | 'not allowed'>
  /**
   * Deletes a user with all of their data, records a pending revocation that also covers tokens issued later, and writes a mail to
   * the address that they had, if it was verified. Does nothing for the last active owner of an organization that has other members.
   * @param request.language the language of the mail if the user has not said one
   * @returns the ids of the pending revocations, or why nothing was done
   */
  delete(
    owner: FactorOwner,
    request: Caller & { language: string },
  ): Promise<
    | { userId: string; revocationIds: readonly bigint[] }
    | { ownedOrganization: string }
    | 'not allowed'
    | 'last owner'
  >
}

/** The needs of people's work with their own accounts. */
export type OwnAccountDeps = {
  accounts: OwnAccountStore
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/**
 * Records that the user of a session downloads what is stored about them.
 * @throws Refusal login_required when the login is too old or lacks the second factor
 */
export async function recordDataDownload(
  owner: FactorOwner,
  caller: Caller,
  { accounts }: Pick<OwnAccountDeps, 'accounts'>,
): Promise<void> {
  const recorded = await accounts.recordDownload(owner, keptCaller(caller))
  if (recorded === 'not allowed') throw loginRequired()
}

/**
 * Deletes the user of a session with their sessions and consents, and revokes their codes and tokens for good.
 * @param request.language the language of the mail if the user has not said one
 * @returns the name of an organization that would be left without an owner, if nothing was done for that; it is theirs to hand on
 * @throws Refusal login_required when the login is too old or lacks the second factor; access_denied for the last owner
 */
export async function deleteOwnAccount(
  owner: FactorOwner,
  { language, ...caller }: Caller & { language: string },
  { accounts, deliver }: OwnAccountDeps,
): Promise<{ ownedOrganization: string | undefined }> {
  const outcome = await accounts.delete(owner, { ...keptCaller(caller), language })
  if (outcome === 'not allowed') throw loginRequired()
  if (outcome === 'last owner')
    throw new Refusal('access_denied', 'You are the last active owner, who cannot be deleted.')
  if ('ownedOrganization' in outcome) return outcome
  await deliver(...outcome.revocationIds)
  return { ownedOrganization: undefined }
}

function loginRequired(): Refusal {
  return new Refusal('login_required', 'Log in again first: this needs a login of the last five minutes.')
}
