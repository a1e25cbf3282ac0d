import { argon2 } from './argon2.ts'
import { bcrypt } from './bcrypt.ts'
import type { HashFormat, ReadHash } from './hash-format.ts'
import { standardNotation } from './notations.ts'
import { pbkdf2 } from './pbkdf2.ts'
import { scrypt } from './scrypt.ts'
import { unsupportedKind } from './unsupported.ts'

/** The kinds of password hashes that are read. */
const formats: readonly HashFormat[] = [argon2, bcrypt, pbkdf2, scrypt]

/** In characters. */
const longest = 2_000

/**
 * Reads a password hash: argon2, bcrypt, PBKDF2 or scrypt, as the systems that notations.ts names write them.
 * @returns the hash, or what is wrong with it as the end of a sentence
 */
export function readHash(text: string): ReadHash | { fault: string } {
  if (text.length > longest) return { fault: `is longer than ${longest} characters` }
  const kind = unsupportedKind(text)
  const standard = standardNotation(text)
  if (standard === undefined) return { fault: 'is malformed' }
  const format = formats.find(({ begins }) => begins.test(standard))
  const hash = format?.read(standard)
  if (hash !== undefined) return hash
  const known = 'known are argon2, bcrypt, PBKDF2 and scrypt'
  if (kind !== undefined) return { fault: `is of an unknown kind (${kind}); ${known}` }
  return { fault: format === undefined ? `is of an unknown kind; ${known}` : 'is malformed' }
}
