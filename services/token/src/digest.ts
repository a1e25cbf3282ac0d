import { hash } from 'node:crypto'

/**
 * The SHA-256 of a code or of a refresh token, which is all that is kept of it: with 256 random bits in it a slow hash
 * would buy nothing.
 */
export function digestOf(codeOrToken: string): Uint8Array {
  return hash('sha256', codeOrToken, 'buffer')
}
