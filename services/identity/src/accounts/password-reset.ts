import type { Actor } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import type { RandomBytes } from '../basics/secret.ts'
import { checkNewPassword } from '../passwords/password-rule.ts'
import type { UserChangeDeps } from '../users/user-change.ts'
import { unknownUser } from '../users/user-list.ts'

/**
 * Gives a user a new password, ends all their sessions and revokes their codes and tokens.
 * @param reset newPassword: undefined to generate one
 * @returns the generated password, which is not stored and cannot be shown again; undefined when the caller gave one
 * @throws Refusal not_found; invalid_request for a password that breaks the rule
 */
export async function resetPassword(
  { userId, newPassword }: { userId: string; newPassword?: string | undefined },
  actor: Actor,
  { store, hashing, randomBytes, deliver }: Omit<UserChangeDeps, 'randomUuid'>,
): Promise<string | undefined> {
  if (!isUuid(userId)) throw unknownUser()
  if (newPassword !== undefined) checkNewPassword('new_password', newPassword, [])
  const password = newPassword ?? readablePassword(randomBytes)
  const outcome = await store.setPassword(userId, await hashing.hash(password), actor)
  if (outcome === 'unknown') throw unknownUser()
  await deliver(...outcome)
  return newPassword === undefined ? password : undefined
}

/** Letters and digits that are hard to confuse, read aloud or from paper. */
const readable = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Generates a password: 20 characters in groups of five, 99 random bits. */
export function readablePassword(randomBytes: RandomBytes): string {
  let text = ''
  while (text.length < 20) {
    // 248 is 8 × 31: bytes above it would make the first letters likelier.
    for (const byte of randomBytes(32)) if (byte < 248) text += readable[byte % readable.length]
  }
  return text.slice(0, 20).replace(/.{5}(?=.)/g, '$&-')
}
