import type { Actor } from '@gatehouse/kit/actor'
import { Refusal } from '@gatehouse/kit/errors'
import { type FactorChangeDeps, resetFactors } from '../factors/factor-change.ts'
import { checkNewPassword } from '../passwords/password-rule.ts'
import { createUser, type UserChangeDeps, updateUser } from '../users/user-change.ts'
import { readablePassword, resetPassword } from './password-reset.ts'

/** Stores the accounts elsewhere by which users log in: links to connections, and social accounts. */
export type LinkedAccountStore = {
  /**
   * Removes all of a user, takes what the mappings of connections gave them, and ends their sessions. Each removal is in the audit log.
   * @returns the ids of the pending revocations
   */
  removeAll(userId: string, actor: Actor): Promise<readonly bigint[]>
}

/** The needs of recovering an administrator. */
export type AdministratorRecoveryDeps = UserChangeDeps &
  Pick<FactorChangeDeps, 'factors' | 'emit'> & {
    users: { findByName(username: string): Promise<{ id: string; username: string } | undefined> }
    linkedAccounts: LinkedAccountStore
    /** Forgets the failed logins with a name, which may have blocked it. */
    forgetFailures(username: string): Promise<void>
  }

/** How an administrator is recovered. */
export type AdministratorRecovery = {
  username: string
  /** undefined for a generated one. */
  newPassword: string | undefined
  keepFactors: boolean
}

/** A recovered administrator. */
export type RecoveredAdministrator = {
  username: string
  created: boolean
  /** Shown once, since only its hash is stored; undefined when the caller chose the password. */
  generatedPassword: string | undefined
}

/**
 * Lets somebody in who can reach the database: the user of this name becomes an active administrator with a new password. Their
 * sessions end, their tokens are revoked, their links to connections and their social accounts are removed, and their passkeys and second
 * factors are, too. Then their address counts as not
 * verified, because whoever reads its mails could reset the password. Without such a user, one is created. Each step is in the
 * audit log. If a step fails, all can be done again.
 * @throws Refusal invalid_request for a name or password that breaks the rules, and for an address or another name of a user
 */
export async function recoverAdministrator(
  { username, newPassword, keepFactors }: AdministratorRecovery,
  actor: Actor,
  deps: AdministratorRecoveryDeps,
): Promise<RecoveredAdministrator> {
  // Before anything changes.
  if (newPassword !== undefined) checkNewPassword('new_password', newPassword, [username])
  const user = await deps.users.findByName(username)
  if (user === undefined) {
    const password = newPassword ?? readablePassword(deps.randomBytes)
    await createUser({ username, password, adminRole: 'owner' }, actor, deps)
    await deps.forgetFailures(username)
    return { username, created: true, generatedPassword: newPassword === undefined ? password : undefined }
  }
  if (user.username.toLowerCase() !== username.toLowerCase())
    throw new Refusal('invalid_request', `This is another name of the user ${user.username}: use that one.`)
  // Before the user may do more: whoever added one of them would log in by it.
  await deps.deliver(...(await deps.linkedAccounts.removeAll(user.id, actor)))
  // The password last: until then nobody gets further than before.
  await updateUser({ userId: user.id, adminRole: 'owner', disabled: false }, actor, deps)
  if (!keepFactors) await resetFactors({ userId: user.id }, actor, deps)
  const generatedPassword = await resetPassword({ userId: user.id, newPassword }, actor, deps)
  // After the mail about the password, which only a verified address gets.
  if (!keepFactors) await updateUser({ userId: user.id, attributes: { email_verified: false } }, actor, deps)
  await deps.forgetFailures(user.username)
  return { username: user.username, created: false, generatedPassword }
}
