import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { type Keyring, keysOf } from './secrets/keyring.ts'

/** Encrypts small contents, each bound to a text: with another one it cannot be decrypted. */
export type Encryption = {
  encrypt(content: Uint8Array, boundTo: string): Buffer
  /** @throws an error when it was encrypted with another key or bound to another text, or was changed */
  decrypt(encrypted: Uint8Array, boundTo: string): Buffer
  /**
   * The same content, encrypted with the current secret.
   * @returns undefined when that encrypted it already
   * @throws as `decrypt`
   */
  renewed(encrypted: Uint8Array, boundTo: string): Buffer | undefined
}

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/**
 * Creates an encryption: AES-256-GCM with a key that HKDF-SHA256 (RFC 5869) derives from the secret, and the text to which a content is
 * bound as additional data. The result is nonce, ciphertext and tag.
 * @param secret the current secret encrypts, and each of the keyring decrypts
 * @param purpose the kind of content that is encrypted: the same secret has another key for each purpose
 */
export function createEncryption(
  secret: Keyring,
  purpose: string,
  randomBytes: (size: number) => Uint8Array,
): Encryption {
  const [current, next] = keysOf(secret, (one) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', one, '', purpose, 32))),
  )

  function encrypt(content: Uint8Array, boundTo: string): Buffer {
    const nonce = randomBytes(nonceLength)
    const encryption = createCipheriv(cipher, current, nonce).setAAD(Buffer.from(boundTo))
    return Buffer.concat([nonce, encryption.update(content), encryption.final(), encryption.getAuthTag()])
  }

  /** @returns the content, and whether the current secret decrypted it */
  function open(encrypted: Uint8Array, boundTo: string): { content: Buffer; isCurrent: boolean } {
    try {
      return { content: decryptWith(current, encrypted, boundTo), isCurrent: true }
    } catch (error) {
      if (next === undefined) throw error
      return { content: decryptWith(next, encrypted, boundTo), isCurrent: false }
    }
  }

  return {
    encrypt,
    decrypt: (encrypted, boundTo) => open(encrypted, boundTo).content,
    renewed(encrypted, boundTo) {
      const { content, isCurrent } = open(encrypted, boundTo)
      return isCurrent ? undefined : encrypt(content, boundTo)
    },
  }
}

function decryptWith(key: KeyObject, encrypted: Uint8Array, boundTo: string): Buffer {
  const nonce = encrypted.subarray(0, nonceLength)
  const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(encrypted.subarray(-tagLength))
  return Buffer.concat([decryption.update(encrypted.subarray(nonceLength, -tagLength)), decryption.final()])
}
