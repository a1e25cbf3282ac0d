import { hash } from 'node:crypto'

/**
 * The SHA-256 of a code or a refresh token, which is all that is stored of it. It has 224 secret bits or more, so a slow hash
 * would gain nothing.
 */
export function digestOf(codeOrToken: string): Uint8Array {
  return hash('sha256', codeOrToken, 'buffer')
}
