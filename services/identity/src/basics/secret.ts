import { createHash } from 'node:crypto'
import { expiringSecret, expiringSecretBytes } from '@gatehouse/kit/expiring-secret'

/** Returns this many random bytes. */
export type RandomBytes = (count: number) => Buffer

/** 256 random bits in base64url. A secret is handed out only once: the server stores its digest alone. */
export function createSecret(randomBytes: RandomBytes): string {
  return randomBytes(32).toString('base64url')
}

/**
 * The secret of a session, which carries its expiry.
 * @param expiresAt seconds since the Unix epoch; undefined for a session whose secret carries none
 */
export function createSessionSecret(randomBytes: RandomBytes, expiresAt: number | undefined): string {
  if (expiresAt === undefined) return createSecret(randomBytes)
  return expiringSecret(randomBytes(expiringSecretBytes), expiresAt)
}

/** The SHA-256 of a secret, which is what is stored. For 224 random bits or more, a slow hash would add nothing. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
