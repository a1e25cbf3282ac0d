import { createHash } from 'node:crypto'

/** Gives this many random bytes. */
export type RandomBytes = (count: number) => Buffer

/** 256 random bits in base64url, to be given away once. */
export function createSecret(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url')
}

/** What is kept of a secret: its SHA-256. With 256 random bits in it, a slow hash would add nothing. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
