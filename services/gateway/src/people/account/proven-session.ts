import type { BrowserSession } from '../session/browser-session.ts'

/** Whether a session's user has a second factor that they have not proven in it, or must have one. */
export function mustProve({ secondFactorUnproven, secondFactorDue }: BrowserSession): boolean {
  return secondFactorUnproven === true || secondFactorDue === true
}
