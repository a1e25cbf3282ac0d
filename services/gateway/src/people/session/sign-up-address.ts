import type { SealedCookie } from './sealed-cookie.ts'

/** The address to which a mail goes when somebody signs up. */
export type SignUpAddress = SealedCookie<{ address: string }>

/** The page that says it. */
export const signUpSentPage = '/auth/signup/sent'
