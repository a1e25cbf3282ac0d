import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

/** What an encrypted private key is bound to: in another row it cannot be decrypted. */
export type KeyIdentity = { kid: string; algorithm: string }

/** Encrypts private keys for the store. */
export type KeyEncryption = {
  encrypt(privateKey: KeyObject, identity: KeyIdentity): Buffer
  /** @throws an error when it was encrypted with another secret or for another row, or was changed */
  decrypt(encrypted: Uint8Array, identity: KeyIdentity): KeyObject
}

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

/**
 * Creates the encryption of private keys: AES-256-GCM with a key that HKDF-SHA256 (RFC 5869) derives from the secret, and the
 * algorithm and kid as additional data. The result is nonce, ciphertext and tag.
 * @param secret OAUTH2_JWT_SECRET
 */
export function createKeyEncryption(secret: string): KeyEncryption {
  const key = createSecretKey(
    Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse: private keys of key pairs', 32)),
  )
  const additionalData = ({ algorithm, kid }: KeyIdentity) => Buffer.from(`${algorithm} ${kid}`)
  return {
    encrypt(privateKey, identity) {
      const nonce = randomBytes(nonceLength)
      const encryption = createCipheriv(cipher, key, nonce).setAAD(additionalData(identity))
      const plain = privateKey.export({ format: 'der', type: 'pkcs8' })
      return Buffer.concat([nonce, encryption.update(plain), encryption.final(), encryption.getAuthTag()])
    },

    decrypt(encrypted, identity) {
      const nonce = encrypted.subarray(0, nonceLength)
      const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagLength })
        .setAAD(additionalData(identity))
        .setAuthTag(encrypted.subarray(-tagLength))
      const plain = Buffer.concat([
        decryption.update(encrypted.subarray(nonceLength, -tagLength)),
        decryption.final(),
      ])
      return createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' })
    },
  }
}
