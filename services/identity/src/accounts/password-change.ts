import { Refusal } from '@gatehouse/kit/errors'
import { type PasswordFault, passwordFaults } from '@gatehouse/proto/people/passwords'
import { digestOf } from '../basics/secret.ts'
import { type GuardDeps, guard } from '../logins/login-throttle.ts'
import type { PasswordHashing } from '../passwords/password.ts'
import { passwordFault } from '../passwords/password-rule.ts'
import type { User } from '../users/user.ts'

/** Stores changed passwords. */
export type PasswordStore = {
  /** The user of an active session, and the session's id; undefined also when the user has a second factor that it lacks. */
  findBySession(
    secretDigest: Buffer,
  ): Promise<(Pick<User, 'id' | 'username' | 'passwordHash'> & { sessionId: string }) | undefined>
  /**
   * Sets a password. Unless access is kept, it also ends the user's other sessions and records a pending revocation of
   * their tokens, in the same transaction.
   * @returns the ids of the pending revocations, none when access is kept; 'unchanged' when the password changed since it was
   *   checked
   */
  change(change: {
    userId: string
    checkedHash: string
    newHash: string
    currentSessionId: string
    keepAccess: boolean
  }): Promise<readonly bigint[] | 'unchanged'>
}

/** The needs of changing a password. */
export type PasswordChangeDeps = GuardDeps & {
  passwords: PasswordStore
  hashing: PasswordHashing
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
}

/** A request to change a password. */
export type PasswordChange = {
  sessionSecret: string
  currentPassword: string
  newPassword: string
  ipAddress: string
  /** Whether the user's other sessions and all grants of the user stay. */
  keepAccess: boolean
}

/** The result of a password change. */
export type PasswordChangeOutcome =
  | { outcome: 'changed' }
  | { outcome: 'wrong' }
  /** The current password was not checked; `retryAfter` is in seconds. */
  | { outcome: 'throttled'; retryAfter: number }
  /** With a sentence for people. */
  | { outcome: 'unacceptable'; code: PasswordFault | 'no_password'; reason: string }

/**
 * Changes the password of a session's user. Everybody who knew the previous one loses access: the user's other sessions end
 * and the codes and tokens that clients hold are revoked, unless the user chooses to keep them. A wrong current password
 * counts as a failed login; otherwise somebody at an unattended browser could guess without limit.
 * @throws Refusal login_required when the session is unknown or expired, or lacks the second factor; temporarily_unavailable as authenticateUser does
 */
export async function changePassword(
  change: PasswordChange,
  deps: PasswordChangeDeps,
): Promise<PasswordChangeOutcome> {
  const found = await deps.passwords.findBySession(digestOf(change.sessionSecret))
  if (!found) throw new Refusal('login_required')
  const { username, passwordHash, id: userId, sessionId } = found
  const fault = passwordFault(change.newPassword, [username])
  if (fault)
    return { outcome: 'unacceptable', code: fault, reason: `The new password ${passwordFaults[fault]}.` }
  if (passwordHash === undefined)
    return {
      outcome: 'unacceptable',
      code: 'no_password',
      reason: 'You have no password here. An administrator can give you one.',
    }
  const check = async () =>
    (await deps.hashing.matches(passwordHash, change.currentPassword)) ? passwordHash : undefined
  const source = { username, ipAddress: change.ipAddress, knownBrowser: true }
  const checked = await guard(source, check, deps)
  if (checked.outcome !== 'right') return checked
  const newHash = await deps.hashing.hash(change.newPassword)
  const revocationIds = await deps.passwords.change({
    userId,
    checkedHash: checked.value,
    newHash,
    currentSessionId: sessionId,
    keepAccess: change.keepAccess,
  })
  if (revocationIds === 'unchanged') return { outcome: 'wrong' }
  await deps.deliver(...revocationIds)
  return { outcome: 'changed' }
}
