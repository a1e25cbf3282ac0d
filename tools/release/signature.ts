import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ReleaseFailure } from './shell.ts'

/**
 * Reads the key that signs a release.
 * @param path a PEM file with a private key, of ECDSA, RSA or Ed25519, without a password
 * @throws ReleaseFailure
 */
export function readKey(path: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(path))
  } catch (error) {
    throw new ReleaseFailure(
      `${path} is not a private key in PEM without a password (${(error as Error).message}).`,
    )
  }
}

/** The public key of a private one, in PEM. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string
}

/** The id of a key: the SHA-256 digest of its public key in DER. */
export function keyIdOf(key: KeyObject): string {
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(der).digest('hex')
}

/** Signs a text: with SHA-256, or as Ed25519 says. `openssl dgst -sha256 -verify` and cosign's `verify-blob` take it. */
export function signatureOf(key: KeyObject, content: Buffer): Buffer {
  return sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', content, key)
}

/** The type of what an in-toto envelope has. */
const payloadType = 'application/vnd.in-toto+json'

/** Puts a statement into a signed envelope (DSSE 1.0). */
export function envelopeOf(statement: unknown, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(statement))
  const encoded = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ])
  const signature = { keyid: keyIdOf(key), sig: signatureOf(key, encoded).toString('base64') }
  return JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures: [signature] })
}
