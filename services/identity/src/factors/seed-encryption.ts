import { createEncryption } from '@gatehouse/kit/encryption'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import type { RandomBytes } from '../basics/secret.ts'

/** Encrypts the seeds of authenticator apps for the store. */
export type SeedEncryption = {
  encrypt(seed: Uint8Array, userId: string): Buffer
  /** @throws an error when it was encrypted with another key or for another user, or was changed */
  decrypt(encrypted: Uint8Array, userId: string): Buffer
  /**
   * The same seed, encrypted with the current key.
   * @returns undefined when that encrypted it already
   * @throws as `decrypt`
   */
  renewed(encrypted: Uint8Array, userId: string): Buffer | undefined
}

/**
 * Creates the encryption of seeds, each bound to its user.
 * @param secret OAUTH2_FACTOR_KEY
 */
export function createSeedEncryption(secret: Keyring, randomBytes: RandomBytes): SeedEncryption {
  return createEncryption(secret, 'gatehouse: seeds of authenticator apps', randomBytes)
}
