import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import { createEncryption } from '@gatehouse/kit/encryption'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'

/** The identity of the row to which an encrypted private key is bound: in another row it cannot be decrypted. */
export type KeyIdentity = { kid: string; algorithm: string }

/** Encrypts private keys for the store. */
export type KeyEncryption = {
  encrypt(privateKey: KeyObject, identity: KeyIdentity): Buffer
  /** @throws an error when it was encrypted with another secret or for another row, or was changed */
  decrypt(encrypted: Uint8Array, identity: KeyIdentity): KeyObject
  /**
   * The same private key, encrypted with the current secret.
   * @returns undefined when that encrypted it already
   * @throws as `decrypt`
   */
  renewed(encrypted: Uint8Array, identity: KeyIdentity): Buffer | undefined
}

/**
 * Creates the encryption of private keys, each bound to its algorithm and kid.
 * @param secret OAUTH2_JWT_SECRET
 */
export function createKeyEncryption(secret: Keyring): KeyEncryption {
  const encryption = createEncryption(secret, 'gatehouse: private keys of key pairs', randomBytes)
  const textOf = ({ algorithm, kid }: KeyIdentity) => `${algorithm} ${kid}`
  return {
    encrypt(privateKey, identity) {
      const plain = privateKey.export({ format: 'der', type: 'pkcs8' })
      return encryption.encrypt(plain, textOf(identity))
    },

    decrypt(encrypted, identity) {
      const key = encryption.decrypt(encrypted, textOf(identity))
      return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    },

    renewed: (encrypted, identity) => encryption.renewed(encrypted, textOf(identity)),
  }
}
