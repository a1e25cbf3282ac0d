import type { SealedCookie } from './sealed-cookie.ts'

/** The secret of the invitation whose link was followed, so that no address has it while people log in or sign up. */
export type FollowedInvitation = SealedCookie<{ secret: string }>

/** The page of the invitation. */
export const joinPage = '/account/organizations/join'
