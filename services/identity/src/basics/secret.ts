import { createHash } from 'node:crypto'

/** Returns this many random bytes. */
export type RandomBytes = (count: number) => Buffer

/** 256 random bits in base64url. A secret is handed out only once: the server stores its digest alone. */
export function createSecret(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url')
}

/** The SHA-256 of a secret, which is what is stored. For 256 random bits, a slow hash would add nothing. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
