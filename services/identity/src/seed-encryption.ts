import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'
import type { RandomBytes } from './secret.ts'

/** Encrypts the seeds of authenticator apps for the store. */
export type SeedEncryption = {
  encrypt(seed: Uint8Array, userId: string): Buffer
  /** @throws an error when it was encrypted with another key or for another user, or was changed */
  decrypt(encrypted: Uint8Array, userId: string): Buffer
}

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/**
 * Creates the encryption of seeds: AES-256-GCM with a key that HKDF-SHA256 (RFC 5869) derives from the secret, and the user's id
 * as additional data. The result is nonce, ciphertext and tag.
 * @param secret OAUTH2_FACTOR_KEY
 */
export function createSeedEncryption(secret: string, randomBytes: RandomBytes): SeedEncryption {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse: seeds of authenticator apps', 32)),
  )
  return {
    encrypt(seed, userId) {
      const nonce = randomBytes(nonceLength)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(userId))
      return Buffer.concat([nonce, encryption.update(seed), encryption.final(), encryption.getAuthTag()])
    },

    decrypt(encrypted, userId) {
      const nonce = encrypted.subarray(0, nonceLength)
      const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(userId))
        .setAuthTag(encrypted.subarray(-tagLength))
      return Buffer.concat([
        decryption.update(encrypted.subarray(nonceLength, -tagLength)),
        decryption.final(),
      ])
    },
  }
}
