import { isSecret } from './formats.ts'

/** How many random bytes a secret with an expiry begins with. */
export const expiringSecretBytes = 28

/** The bits after the 256 that 43 characters hold: zero in every secret without an expiry, since an encoder writes them so (RFC 4648 section 3.5). */
const mark = 0x40

/**
 * A secret that carries its expiry: 224 secret bits and a time of 32 bits, in base64url. It has the 43 characters of a secret of
 * 256 bits, so release 0.7.0 takes it where it takes those, and the two bits that are left mark it. The server keeps a digest of
 * all 43, so a secret whose expiry somebody changed is unknown.
 * @param secretBits at least `expiringSecretBytes` bytes; the others are not used
 * @param expiresAt seconds since the Unix epoch, until 2106
 */
export function expiringSecret(secretBits: Uint8Array, expiresAt: number): string {
  const bytes = Buffer.alloc(33, mark)
  bytes.set(secretBits.subarray(0, expiringSecretBytes))
  bytes.writeUInt32BE(expiresAt, expiringSecretBytes)
  return bytes.toString('base64url').slice(0, 43)
}

/**
 * The expiry that a secret carries, in seconds since the Unix epoch. Only the digest of the secret says whether it is genuine.
 * @returns undefined for a secret without one, and for anything else
 */
export function expiryOf(secret: string): number | undefined {
  if (!isSecret(secret)) return undefined
  const bytes = Buffer.from(`${secret}A`, 'base64url')
  return bytes[32] === mark ? bytes.readUInt32BE(expiringSecretBytes) : undefined
}
