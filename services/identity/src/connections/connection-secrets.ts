import { createEncryption, type Encryption } from '@gatehouse/kit/encryption'
import { Refusal } from '@gatehouse/kit/errors'
import type { Keyring } from '@gatehouse/kit/secrets/keyring'
import { connectionLimits } from '@gatehouse/proto/connections'
import type { JWK } from 'jose'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import type { RandomBytes } from '../basics/secret.ts'
import { invalid } from './connection-fields.ts'

/** Encrypts the secrets and keys of connections, and the keys of logins under way, each bound to the id of its connection. */
export type ConnectionEncryption = Encryption

/** Creates that encryption. @param secret OAUTH2_FACTOR_KEY */
export function createConnectionEncryption(secret: Keyring, randomBytes: RandomBytes): ConnectionEncryption {
  return createEncryption(secret, 'gatehouse: secrets of connections', randomBytes)
}

/** The credentials of a connection as they are stored. One of both ways is null. */
export type StoredCredentials = {
  clientSecret: Buffer | null
  /** The private JWK. */
  clientKey: Buffer | null
  clientPublicKey: JWK | null
}

/**
 * Encrypts a client secret that was sent.
 * @throws Refusal invalid_request for a secret that is invalid, and without OAUTH2_FACTOR_KEY
 */
export function sealSecret(
  clientSecret: string,
  connectionId: string,
  encryption: ConnectionEncryption | undefined,
): StoredCredentials {
  if (clientSecret.length > connectionLimits.clientSecret || !/^[\x20-\x7e]+$/.test(clientSecret))
    throw invalid('client_secret', `must have 1 to ${connectionLimits.clientSecret} characters of ASCII`)
  const sealed = needed(encryption).encrypt(Buffer.from(clientSecret), connectionId)
  return { clientSecret: sealed, clientKey: null, clientPublicKey: null }
}

/**
 * Makes a key for private_key_jwt (RFC 7523 section 2.2), with ES256.
 * @throws Refusal invalid_request without OAUTH2_FACTOR_KEY
 */
export async function makeClientKey(
  connectionId: string,
  encryption: ConnectionEncryption | undefined,
): Promise<StoredCredentials> {
  const { encrypt } = needed(encryption)
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const clientKey = encrypt(Buffer.from(JSON.stringify(await exportJWK(privateKey))), connectionId)
  return { clientSecret: null, clientKey, clientPublicKey: { ...jwk, kid, use: 'sig', alg: 'ES256' } }
}

function needed(encryption: ConnectionEncryption | undefined): ConnectionEncryption {
  if (encryption === undefined)
    throw new Refusal(
      'invalid_request',
      'The secret or key of a connection cannot be stored: set OAUTH2_FACTOR_KEY, which encrypts it.',
    )
  return encryption
}
