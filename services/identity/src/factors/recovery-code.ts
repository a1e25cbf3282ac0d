import { createHash } from 'node:crypto'
import type { RandomBytes } from '../basics/secret.ts'

/** How many recovery codes a user gets at once. */
export const recoveryCodeCount = 10

/** Crockford's alphabet: no letter in it looks like a digit or another letter. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** In characters of 5 bits: 80 random bits. */
const length = 16

/** Stores recovery codes. */
export type RecoveryCodeStore = {
  /** Uses up a code. @returns false when the user has no such code, or has used it */
  use(userId: string, codeDigest: Buffer): Promise<boolean>
}

/** Makes a user's recovery codes, in groups of four characters. They are shown once: only their digests are stored. */
export function createRecoveryCodes(randomBytes: RandomBytes): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    const characters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length])
    return characters.join('').replace(/.{4}(?=.)/g, '$&-')
  })
}

/**
 * The digest of a code as somebody typed it: in any case, with any separators, with o for 0, and i or l for 1.
 * @returns undefined when it cannot be a recovery code
 */
export function recoveryCodeDigest(typed: string): Buffer | undefined {
  const text = typed
    .slice(0, 100)
    .toLowerCase()
    .replace(/[\s\p{Pd}]/gu, '')
    .replaceAll('o', '0')
    .replaceAll(/[il]/g, '1')
  const wellFormed = text.length === length && [...text].every((character) => alphabet.includes(character))
  return wellFormed ? createHash('sha256').update(`recovery code ${text}`).digest() : undefined
}
