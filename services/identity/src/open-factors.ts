import { randomBytes } from 'node:crypto'
import { type Keyring, keyringOf } from '@gatehouse/kit/secrets/keyring'
import type { IdentityConfig } from './config.ts'
import { createSeedEncryption } from './factors/seed-encryption.ts'
import { relyingPartyAt } from './factors/webauthn.ts'

/** The key that encrypts the secrets of authenticator apps and of connections; undefined where none is set. */
export function factorKeyOf({ OAUTH2_FACTOR_KEY: key, OAUTH2_FACTOR_KEY_NEXT: next }: IdentityConfig) {
  return key === undefined ? undefined : keyringOf(key, next)
}

/** The factors that users may enrol: passkeys where browsers allow them, and apps where their secrets can be encrypted. */
export function factorOffers(
  { OAUTH2_BRAND_NAME: name, OAUTH2_SERVER_PUBLIC_BASE_URL: baseUrl }: IdentityConfig,
  key: Keyring | undefined,
) {
  return {
    relyingParty: relyingPartyAt(baseUrl),
    seeds: key === undefined ? undefined : createSeedEncryption(key, randomBytes),
    issuerName: name ?? new URL(baseUrl).host,
  }
}
