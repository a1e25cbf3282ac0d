import { Refusal } from '@gatehouse/kit/errors'
import type { Emit } from '@gatehouse/kit/events/emission'
import { storable } from '@gatehouse/kit/storable'
import { digestOf } from '../basics/secret.ts'
import { cutBeyond } from '../basics/text.ts'
import type { PasswordHashing } from '../passwords/password.ts'
import { longestUsername } from '../users/user.ts'
import { type FormProblem, passwordProblem } from './sign-up.ts'

/** The request of a user who has lost their password. */
export type RecoveryRequest = {
  /** A name or an address, as it was typed. */
  username: string
  /** A language tag (BCP 47). */
  language: string
  /** The path to continue at afterwards; undefined for none. */
  returnTo?: string | undefined
}

/** Stores the recovery of passwords. */
export type PasswordRecoveryStore = {
  /** Stores that a mail is wanted. It takes the same time whether or not there is such a user. */
  request(request: RecoveryRequest): Promise<void>
  /** Finds the names of a link's user. @returns undefined when the link has expired or was used */
  namesOf(digest: Buffer): Promise<{ username: string; address: string } | undefined>
  /**
   * Uses a link and sets its user's password, in one transaction. The user's sessions and all of their links end, and a revocation of
   * their tokens is recorded.
   */
  complete(
    digest: Buffer,
    passwordHash: string,
  ): Promise<
    | { userId: string; username: string; returnTo: string | undefined; revocationIds: readonly bigint[] }
    | 'link over'
  >
}

/** The needs of recovering passwords. */
export type PasswordRecoveryDeps = {
  recoveries: PasswordRecoveryStore
  /** Whether mails can be sent. */
  mailsOn: boolean
  hashing: Pick<PasswordHashing, 'hash'>
  /** Tells the token service, now or later; never rejects. */
  deliver(...revocationIds: bigint[]): Promise<void>
  emit: Emit
}

/** The outcome of a reset. */
export type RecoveryOutcome =
  | { outcome: 'reset'; username: string; returnTo: string | undefined }
  | { outcome: 'link over' }
  | { outcome: 'problem'; problem: FormProblem }

/**
 * Notes that a user has lost their password. They get a mail at their verified address, if they have one.
 * @throws Refusal access_denied where no mails can be sent
 */
export async function requestPasswordReset(
  { username, returnTo, ...request }: RecoveryRequest,
  { recoveries, mailsOn }: Pick<PasswordRecoveryDeps, 'recoveries' | 'mailsOn'>,
): Promise<void> {
  if (!mailsOn)
    throw new Refusal('access_denied', 'This server sends no mails. Ask an administrator for a new password.')
  const typed = storable(cutBeyond(username, longestUsername)).normalize('NFC').trim()
  await recoveries.request({ ...request, username: typed, returnTo: returnTo && storable(returnTo) })
}

/**
 * Sets a new password by the link in a mail. Anybody who knew the previous one loses access; second factors stay, so the user logs in
 * afterwards.
 */
export async function completePasswordReset(
  { secret, newPassword }: { secret: string; newPassword: string },
  { recoveries, hashing, deliver, emit }: PasswordRecoveryDeps,
): Promise<RecoveryOutcome> {
  const digest = digestOf(secret)
  const names = await recoveries.namesOf(digest)
  if (names === undefined) return { outcome: 'link over' }
  const problem = passwordProblem('new_password', newPassword, [names.username, names.address])
  if (problem) return { outcome: 'problem', problem }
  const completed = await recoveries.complete(digest, await hashing.hash(newPassword))
  if (completed === 'link over') return { outcome: 'link over' }
  const { userId, username, returnTo, revocationIds } = completed
  await deliver(...revocationIds)
  emit('password_reset', { userId, metadata: {} })
  return { outcome: 'reset', username, returnTo }
}
