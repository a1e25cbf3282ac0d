import { Refusal } from '@gatehouse/kit/errors'
import { type GuardDeps, guard } from './login-throttle.ts'
import { isAcceptablePassword, type PasswordHashing, passwordRule } from './password.ts'
import { digestOf } from './secret.ts'
import type { User } from './user.ts'

/** Where a password is changed. */
export type PasswordStore = {
  /** The user of a session that is not over, and the session's id. */
  findBySession(
    secretDigest: Buffer,
  ): Promise<(Pick<User, 'id' | 'username' | 'passwordHash'> & { sessionId: string }) | undefined>
  /**
   * Sets a password. Unless access is kept, it also ends the user's other sessions and writes down the revocation of
   * their tokens; all of it or nothing.
   * @returns the pending revocation's id, undefined when access is kept; 'unchanged' when the password is no longer the
   *   one that was checked
   */
  change(change: {
    userId: string
    checkedHash: string
    newHash: string
    currentSessionId: string
    keepAccess: boolean
  }): Promise<bigint | undefined | 'unchanged'>
}

/** What changing a password needs. */
export type PasswordChangeDeps = GuardDeps & {
  passwords: PasswordStore
  hashing: PasswordHashing
  /** Tells the token service, now or later; never rejects. */
  deliver(revocationId: bigint): Promise<void>
}

/** A wish to change a password. */
export type PasswordChange = {
  sessionSecret: string
  currentPassword: string
  newPassword: string
  ipAddress: string
  /** Whether the user's other sessions, and everything that was granted in their name, stay. */
  keepAccess: boolean
}

/** What came of it. */
export type PasswordChangeOutcome =
  | { outcome: 'changed' }
  | { outcome: 'wrong' }
  /** Seconds until the current password will be looked at. */
  | { outcome: 'throttled'; retryAfter: number }
  /** A sentence for people. */
  | { outcome: 'unacceptable'; reason: string }

/**
 * Changes the password of a session's user. Everybody who knew the old one loses access: the user's other sessions end, and so do
 * the codes and tokens that apps hold, unless the user wants to keep them. A wrong current password counts as a failed
 * login, or somebody who finds an open browser could guess without end.
 * @throws Refusal login_required when there is no such session, temporarily_unavailable as authenticateUser
 */
export async function changePassword(
  change: PasswordChange,
  deps: PasswordChangeDeps,
): Promise<PasswordChangeOutcome> {
  const found = await deps.passwords.findBySession(digestOf(change.sessionSecret))
  if (!found) throw new Refusal('login_required')
  if (!isAcceptablePassword(change.newPassword))
    return { outcome: 'unacceptable', reason: `The new password ${passwordRule}.` }
  const { username, passwordHash, id: userId, sessionId } = found
  if (passwordHash === undefined)
    return {
      outcome: 'unacceptable',
      reason: 'You have no password here. An administrator can give you one.',
    }
  const check = async () =>
    (await deps.hashing.matches(passwordHash, change.currentPassword)) ? passwordHash : undefined
  const source = { username, ipAddress: change.ipAddress, knownBrowser: true }
  const checked = await guard(source, check, deps)
  if (checked.outcome !== 'right') return checked
  const newHash = await deps.hashing.hash(change.newPassword)
  const revocationId = await deps.passwords.change({
    userId,
    checkedHash: checked.value,
    newHash,
    currentSessionId: sessionId,
    keepAccess: change.keepAccess,
  })
  if (revocationId === 'unchanged') return { outcome: 'wrong' }
  if (revocationId !== undefined) await deps.deliver(revocationId)
  return { outcome: 'changed' }
}
