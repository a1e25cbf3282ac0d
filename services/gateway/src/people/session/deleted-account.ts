import type { Language } from '@gatehouse/proto/people/languages'
import type { SealedCookie } from './sealed-cookie.ts'

/** The language of an account that was deleted just now, of whose user nothing else is known any more. */
export type DeletedAccount = SealedCookie<{ language: Language }>

/** The page that says that it is deleted. */
export const deletedAccountPage = '/account/deleted'
