import { type LoginHistoryStore, recordLogin } from './login-history.ts'
import type { PendingLoginStore } from './pending-login.ts'

/** How many logins are taken at once. */
const batch = 100

/**
 * Ends the pending logins that have expired, and records them: whoever began one had the right password, which its user should
 * be able to see.
 * @returns how many
 */
export async function recordUnfinishedLogins(deps: {
  pendingLogins: Pick<PendingLoginStore, 'takeExpired'>
  loginHistory: Pick<LoginHistoryStore, 'add'>
}): Promise<number> {
  let recorded = 0
  for (;;) {
    const logins = await deps.pendingLogins.takeExpired(batch)
    for (const { userId, loginMethod: method, ...origin } of logins) {
      await recordLogin(origin, { userId, method, failure: 'second_factor_missing' }, deps)
    }
    recorded += logins.length
    if (logins.length < batch) return recorded
  }
}
