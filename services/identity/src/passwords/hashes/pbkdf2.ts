import { pbkdf2 as deriveKey, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { decode, encode, type HashFormat, shortestHash } from './hash-format.ts'

const derive = promisify(deriveKey)

const mostIterations = 2_000_000
const slowIterations = 150_000

/** The bytes of a digest. */
const digestLengths: Readonly<Record<string, number>> = { sha1: 20, sha256: 32, sha512: 64 }

const pattern = /^\$pbkdf2-(sha1|sha256|sha512)\$i=(\d{1,10})\$([^$]+)\$([^$]+)$/

/** PBKDF2 (RFC 8018 section 5.2) in the PHC string format: `$pbkdf2-sha256$i=600000$salt$hash`. */
export const pbkdf2: HashFormat = {
  begins: /^\$pbkdf2/,
  read(text) {
    const [, digest = '', iterationsText, saltText = '', hashText = ''] = pattern.exec(text) ?? []
    const iterations = Number(iterationsText)
    const salt = decode(saltText, 1, 128)
    const hash = decode(hashText, shortestHash, 1_024)
    if (!iterations || !salt || !hash) return undefined
    // A longer key, such as that of Keycloak, multiplies the work without making a guess harder: the first block of a
    // right password is the same, and a guesser computes no more than that.
    const kept = hash.subarray(0, digestLengths[digest])
    return {
      text: `$pbkdf2-${digest}$i=${iterations}$${saltText}$${encode(kept)}`,
      memory: 1,
      slow: iterations > slowIterations,
      excess:
        iterations > mostIterations
          ? `has too many iterations: at most ${mostIterations.toLocaleString('en')}`
          : undefined,
      matches: async (password) =>
        timingSafeEqual(await derive(password, salt, iterations, kept.length, digest), kept),
    }
  },
}
