import type { FastifyReply } from 'fastify'
import { pathWithReturn } from '../pages/return-to.ts'
import type { SealedCookie } from './sealed-cookie.ts'

/** A user's new recovery codes, until the user has stored them. They are bound to the session in which they were made. */
export type NewRecoveryCodes = SealedCookie<{
  codes: readonly string[]
  /** Whether they replace earlier ones. */
  replaced: boolean
}>

/** The page that shows them. */
export const newCodesPage = '/account/new-recovery-codes'

/** Redirects a browser, after the form that made its user new recovery codes, to the page that shows them. */
export function showNewCodes(
  reply: FastifyReply,
  { codes, replaced, sessionId, next }: Made,
  newCodes: NewRecoveryCodes,
): FastifyReply {
  newCodes.set(reply, { codes, replaced }, sessionId)
  return reply.redirect(pathWithReturn(newCodesPage, next), 303)
}

type Made = {
  codes: readonly string[]
  replaced: boolean
  sessionId: string
  /** Where to go on. */
  next: string
}
