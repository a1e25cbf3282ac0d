import {
  constants,
  createPublicKey,
  sign as createSignature,
  generateKeyPair as generate,
  type KeyObject,
  type SignKeyObjectInput,
  verify as verifySignature,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import { calculateJwkThumbprint } from 'jose/jwk/thumbprint'
import { exportJWK } from 'jose/key/export'
import { fromJoseSignature, toJoseSignature } from './ecdsa-signature.ts'
import { headersFor, type SigningKey } from './signing-key.ts'

/** A public key as it is published (RFC 7517 section 4). */
export type PublicJwk = Readonly<Record<string, string>> & {
  kty: 'EC' | 'RSA' | 'OKP'
  kid: string
  use: 'sig'
  alg: KeyPairAlgorithm
}

/** The signing key of a key pair. */
export type KeyPair = SigningKey & { algorithm: KeyPairAlgorithm; publicJwk: PublicJwk }

type Scheme = {
  /** Makes a new pair without holding up the event loop. */
  generate(): Promise<{ privateKey: KeyObject }>
  /** Signs and verifies. Node takes a key alone much faster than with options. */
  signature: (privateKey: KeyObject, publicKey: KeyObject) => Signatures
}

type Signatures = {
  sign(input: Buffer): Buffer | Promise<Buffer>
  verifies(input: Buffer, signature: Buffer): boolean
}

const generatePair = promisify(generate)

/** Signatures of RSA, made in the thread pool: each takes up to a millisecond, for which the event loop must not wait. */
function signaturesInPool(options: Omit<SignKeyObjectInput, 'key'>): Scheme['signature'] {
  return (privateKey, publicKey) => {
    const signing = { ...options, key: privateKey }
    const verifying = { ...options, key: publicKey }
    return {
      sign: (input) =>
        new Promise((resolve, reject) => {
          createSignature('sha256', input, signing, (error, signature) =>
            error ? reject(error) : resolve(signature),
          )
        }),
      verifies: (input, signature) => verifySignature('sha256', input, verifying, signature),
    }
  }
}

const rsa = { generate: () => generatePair('rsa', { modulusLength: 2048 }) }

const schemes: Record<KeyPairAlgorithm, Scheme> = {
  ES256: {
    generate: () => generatePair('ec', { namedCurve: 'P-256' }),
    // On the event loop: it takes 30 µs, and the way through the thread pool costs twice as much CPU.
    signature: (privateKey, publicKey) => ({
      sign: (input) => toJoseSignature(createSignature('sha256', input, privateKey)),
      verifies(input, signature) {
        const der = fromJoseSignature(signature)
        return der !== undefined && verifySignature('sha256', input, publicKey, der)
      },
    }),
  },
  EdDSA: {
    generate: () => generatePair('ed25519'),
    // It has a digest of its own. On the event loop, as with ES256.
    signature: (privateKey, publicKey) => ({
      sign: (input) => createSignature(null, input, privateKey),
      verifies: (input, signature) => verifySignature(null, input, publicKey, signature),
    }),
  },
  RS256: { ...rsa, signature: signaturesInPool({ padding: constants.RSA_PKCS1_PADDING }) },
  // RFC 7518 section 3.5: the salt is as long as the digest.
  PS256: {
    ...rsa,
    signature: signaturesInPool({ padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  },
}

/** Generates the private key of a new pair, off the event loop. RSA keys have 2048 bits. */
export async function generatePrivateKey(algorithm: KeyPairAlgorithm): Promise<KeyObject> {
  return (await schemes[algorithm].generate()).privateKey
}

/** The signing key of a private key. The public key and the kid, its thumbprint (RFC 7638), follow from it. */
export async function createKeyPair(algorithm: KeyPairAlgorithm, privateKey: KeyObject): Promise<KeyPair> {
  const publicKey = createPublicKey(privateKey)
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  // In one order in every release, so that the bytes of the key set, and with them its ETag, say whether it changed.
  const members = Object.fromEntries(Object.entries(jwk).sort(([one], [other]) => (one < other ? -1 : 1)))
  const signatures = schemes[algorithm].signature(privateKey, publicKey)
  return {
    kid,
    algorithm,
    publicJwk: { ...(members as Pick<PublicJwk, 'kty'>), kid, use: 'sig', alg: algorithm },
    headers: headersFor(algorithm, kid),
    sign(input) {
      const made = signatures.sign(Buffer.from(input))
      return Buffer.isBuffer(made)
        ? made.toString('base64url')
        : made.then((bytes) => bytes.toString('base64url'))
    },
    verifies(input, presented) {
      const bytes = Buffer.from(presented, 'base64url')
      // Several base64url texts decode to the same bytes, and a token must have one form only.
      return bytes.toString('base64url') === presented && signatures.verifies(Buffer.from(input), bytes)
    },
  }
}
