import { type NewRecoveryCodes, newCodesPage } from './new-recovery-codes.ts'
import { createSealedCookie, type SealedCookieOptions } from './sealed-cookie.ts'
import { type SignUpAddress, signUpSentPage } from './sign-up-address.ts'

/** The cookies with what a page shows after a form, and its address must not say. */
export type PageCookies = { newCodes: NewRecoveryCodes; signUpAddress: SignUpAddress }

/** In seconds: the time to store the codes, also for who reloads the page or lost its answer. */
const codesLifetime = 300
/** In seconds: as long as the link in the mail works. */
const addressLifetime = 3_600

/** Creates the kinds of cookies. */
export function createPageCookies(options: Pick<SealedCookieOptions, 'key' | 'secure' | 'now'>): PageCookies {
  const cookie = (name: string, path: string, lifetime: number) => ({ ...options, name, path, lifetime })
  return {
    newCodes: createSealedCookie(cookie('gatehouse_new_recovery_codes', newCodesPage, codesLifetime)),
    signUpAddress: createSealedCookie(cookie('gatehouse_sign_up', signUpSentPage, addressLifetime)),
  }
}
