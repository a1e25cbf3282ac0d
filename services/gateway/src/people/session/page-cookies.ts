import { type DeletedAccount, deletedAccountPage } from './deleted-account.ts'
import { type FollowedInvitation, joinPage } from './followed-invitation.ts'
import { type NewRecoveryCodes, newCodesPage } from './new-recovery-codes.ts'
import { createSealedCookie, type SealedCookieOptions } from './sealed-cookie.ts'
import { type SignUpAddress, signUpSentPage } from './sign-up-address.ts'

/** The cookies of pages after a form. Each has the part of its page that the address must not contain. */
export type PageCookies = {
  newCodes: NewRecoveryCodes
  signUpAddress: SignUpAddress
  deletedAccount: DeletedAccount
  followedInvitation: FollowedInvitation
}

/** In seconds: the time to store recovery codes, and to load a page again. On a shared computer somebody else comes soon. */
const lifetime = 300
/** In seconds: the time to log in or to sign up. The mail has the link for longer. */
const whileJoining = 3_600

/** Creates the kinds of cookies. */
export function createPageCookies(options: Pick<SealedCookieOptions, 'key' | 'secure' | 'now'>): PageCookies {
  const cookie = (name: string, path: string) => ({ ...options, name, path, lifetime })
  return {
    newCodes: createSealedCookie(cookie('gatehouse_new_recovery_codes', newCodesPage)),
    signUpAddress: createSealedCookie(cookie('gatehouse_sign_up', signUpSentPage)),
    deletedAccount: createSealedCookie(cookie('gatehouse_deleted_account', deletedAccountPage)),
    followedInvitation: createSealedCookie({
      ...cookie('gatehouse_invitation', joinPage),
      ...{ lifetime: whileJoining, sameSite: 'lax' },
    }),
  }
}
