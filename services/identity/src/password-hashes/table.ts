import { argon2 } from './argon2.ts'
import { bcrypt } from './bcrypt.ts'
import type { HashFormat, ReadHash } from './hash-format.ts'
import { standardNotation } from './notations.ts'
import { pbkdf2 } from './pbkdf2.ts'
import { scrypt } from './scrypt.ts'

/** The kinds of password hashes that are read. */
const formats: readonly HashFormat[] = [argon2, bcrypt, pbkdf2, scrypt]

/** In characters. */
const longest = 2_000

/**
 * Reads a password hash: argon2, bcrypt, PBKDF2 or scrypt, also as Django and passlib write them.
 * @returns the hash, or what is wrong with it as the end of a sentence
 */
export function readHash(text: string): ReadHash | { fault: string } {
  if (text.length > longest) return { fault: `is longer than ${longest} characters` }
  const standard = standardNotation(text)
  const format = formats.find(({ begins }) => begins.test(standard))
  if (format === undefined)
    return { fault: 'is of an unknown kind; known are argon2, bcrypt, PBKDF2 and scrypt' }
  return format.read(standard) ?? { fault: 'is malformed' }
}
