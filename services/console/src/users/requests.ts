import type { Invitation, UserChange, UserMail, UserToCreate } from '@gatehouse/admin-api/generated/openapi'
import { ApiError, api, dataOf, readOnce } from '../api.ts'
import { isSame } from '../form/form-state.ts'

/** The parameters of a request about a user. */
export const atUser = (userId: string) => ({ params: { path: { user_id: userId } } })

/** Creates a user with a password. */
export function createUser(body: UserToCreate) {
  return dataOf(api.POST('/admin/api/users', { body }))
}

/** Invites somebody by mail to create an account. */
export function inviteUser(body: Invitation) {
  return dataOf(api.POST('/admin/api/invitations', { body }))
}

/** Changes a user. Null removes an attribute. */
export function changeUser(userId: string, body: UserChange) {
  return dataOf(api.PATCH('/admin/api/users/{user_id}', { ...atUser(userId), body }))
}

/**
 * Undoes a change of a user, unless somebody has changed the same again.
 * @param done the values that the change set
 * @param before the values from before
 * @throws ApiError outdated_revision when it is no longer as the change left it
 */
export async function undoChange(userId: string, done: UserChange, before: UserChange): Promise<void> {
  const now: Readonly<Record<string, unknown>> = await readOnce(
    '/admin/api/users/{user_id}',
    atUser(userId).params,
  )
  const left = Object.entries(done).every(([name, value]) => isSame(now[name], value))
  if (!left) throw new ApiError(409, 'outdated_revision', '')
  await changeUser(userId, before)
}

/** Deletes a user for good. */
export function deleteUser(userId: string) {
  return dataOf(api.DELETE('/admin/api/users/{user_id}', atUser(userId)))
}

/** Revokes all tokens of a user. */
export function revokeUserTokens(userId: string) {
  return dataOf(api.DELETE('/admin/api/users/{user_id}/tokens', atUser(userId)))
}

/** Gives a user another password. @param password by default the API generates one, which it shows only here */
export function resetPassword(userId: string, password: string | undefined) {
  const body = password === undefined ? {} : { new_password: password }
  return dataOf(api.POST('/admin/api/users/{user_id}/password', { ...atUser(userId), body }))
}

/** Sends a user a mail with a link. */
export function sendUserMail(userId: string, kind: UserMail['kind']) {
  return dataOf(api.POST('/admin/api/users/{user_id}/mails', { ...atUser(userId), body: { kind } }))
}

/** Removes one passkey or second factor of a user, which ends their sessions. */
export function removeFactor(userId: string, factorId: string) {
  const params = { path: { user_id: userId, factor_id: factorId } }
  return dataOf(api.DELETE('/admin/api/users/{user_id}/factors/{factor_id}', { params }))
}

/** Removes all passkeys, second factors and recovery codes of a user, which ends their sessions. */
export function resetFactors(userId: string) {
  return dataOf(api.DELETE('/admin/api/users/{user_id}/factors', atUser(userId)))
}

/** Ends one session of a user. */
export function endSession(userId: string, sessionId: string) {
  const params = { path: { user_id: userId, session_id: sessionId } }
  return dataOf(api.DELETE('/admin/api/users/{user_id}/sessions/{session_id}', { params }))
}

/** Ends all sessions of a user. */
export function endSessions(userId: string) {
  return dataOf(api.DELETE('/admin/api/users/{user_id}/sessions', atUser(userId)))
}

/** Clears what was counted of wrong passwords for a user's name. */
export function unlockUser(userId: string) {
  return dataOf(api.POST('/admin/api/users/{user_id}/unlock', atUser(userId)))
}

/** Sends an invitation again, with a new link. */
export function resendInvitation(mailId: string) {
  const params = { path: { mail_id: mailId } }
  return dataOf(api.POST('/admin/api/invitations/{mail_id}/resend', { params }))
}

/** Withdraws an invitation. */
export function withdrawInvitation(mailId: string) {
  return dataOf(api.DELETE('/admin/api/invitations/{mail_id}', { params: { path: { mail_id: mailId } } }))
}
