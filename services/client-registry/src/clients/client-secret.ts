import { hash } from 'node:crypto'

/** Returns this many random bytes. */
export type RandomBytes = (count: number) => Buffer

/**
 * 256 random bits in base64url, so that the secret is the same form-encoded or raw: clients disagree on which of the two
 * Basic authentication needs (RFC 6749 section 2.3.1).
 */
export function createClientSecret(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url')
}

/** The SHA-256 of a secret, which is what is stored. For 256 random bits, a slow hash would add nothing. */
export function secretDigestOf(clientSecret: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hash('sha256', clientSecret, 'buffer'))
}
