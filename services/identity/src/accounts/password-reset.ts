import type { Actor } from '@gatehouse/kit/actor'
import { isUuid } from '@gatehouse/kit/formats'
import type { RandomBytes } from '../basics/secret.ts'
import { checkNewPassword } from '../passwords/password-rule.ts'
import type { UserChangeDeps } from '../users/user-change.ts'
import { unknownUser } from '../users/user-list.ts'

/**
 * Gives a user a new password, ends all their sessions and revokes their codes and tokens.
 * @param reset newPassword: when empty, one is generated
 * @returns the generated password, which is not stored and cannot be shown again; empty when the caller gave one
 * @throws Refusal not_found; invalid_request for a password that breaks the rule
 */
export async function resetPassword(
  { userId, newPassword }: { userId: string; newPassword: string },
  actor: Actor,
  { store, hashing, randomBytes, deliver }: Omit<UserChangeDeps, 'randomUuid'>,
): Promise<string> {
  if (!isUuid(userId)) throw unknownUser()
  const generated = newPassword === '' ? readablePassword(randomBytes) : ''
  if (newPassword !== '') checkNewPassword('new_password', newPassword, [])
  const outcome = await store.setPassword(userId, await hashing.hash(newPassword || generated), actor)
  if (outcome === 'unknown') throw unknownUser()
  await deliver(...outcome)
  return generated
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
