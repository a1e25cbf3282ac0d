import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto'

/** Encrypts small contents, each bound to a text: with another one it cannot be decrypted. */
export type Encryption = {
  encrypt(content: Uint8Array, boundTo: string): Buffer
  /** @throws an error when it was encrypted with another key or bound to another text, or was changed */
  decrypt(encrypted: Uint8Array, boundTo: string): Buffer
}

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/**
 * Creates an encryption: AES-256-GCM with a key that HKDF-SHA256 (RFC 5869) derives from the secret, and the text to which a content is
 * bound as additional data. The result is nonce, ciphertext and tag.
 * @param purpose the kind of content that is encrypted: the same secret has another key for each purpose
 */
export function createEncryption(
  secret: string,
  purpose: string,
  randomBytes: (size: number) => Uint8Array,
): Encryption {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  return {
    encrypt(content, boundTo) {
      const nonce = randomBytes(nonceLength)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(boundTo))
      return Buffer.concat([nonce, encryption.update(content), encryption.final(), encryption.getAuthTag()])
    },

    decrypt(encrypted, boundTo) {
      const nonce = encrypted.subarray(0, nonceLength)
      const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(encrypted.subarray(-tagLength))
      return Buffer.concat([
        decryption.update(encrypted.subarray(nonceLength, -tagLength)),
        decryption.final(),
      ])
    },
  }
}
