import {
  constants,
  createPublicKey,
  generateKeyPair as generate,
  hash,
  type KeyObject,
  type SignKeyObjectInput,
  sign as signInPool,
  verify as verifySignature,
} from 'node:crypto'
import { promisify } from 'node:util'
import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
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
  /** null: the algorithm has a digest of its own. */
  digest: 'sha256' | null
  options: Omit<SignKeyObjectInput, 'key'>
  /** The members of the public key that its thumbprint covers, in their order (RFC 7638 section 3.2, RFC 8037 section 2). */
  members: readonly string[]
}

const generatePair = promisify(generate)
const rsa = {
  generate: () => generatePair('rsa', { modulusLength: 2048 }),
  digest: 'sha256',
  members: ['e', 'kty', 'n'],
} as const

const schemes: Record<KeyPairAlgorithm, Scheme> = {
  ES256: {
    generate: () => generatePair('ec', { namedCurve: 'P-256' }),
    digest: 'sha256',
    // RFC 7518 section 3.4 has the two numbers side by side, not DER.
    options: { dsaEncoding: 'ieee-p1363' },
    members: ['crv', 'kty', 'x', 'y'],
  },
  EdDSA: {
    generate: () => generatePair('ed25519'),
    digest: null,
    options: {},
    members: ['crv', 'kty', 'x'],
  },
  RS256: { ...rsa, options: { padding: constants.RSA_PKCS1_PADDING } },
  // RFC 7518 section 3.5: the salt is as long as the digest.
  PS256: { ...rsa, options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } },
}

/** Generates the private key of a new pair, off the event loop. RSA keys have 2048 bits. */
export async function generatePrivateKey(algorithm: KeyPairAlgorithm): Promise<KeyObject> {
  return (await schemes[algorithm].generate()).privateKey
}

/** The signing key of a private key. The public key and the kid follow from it. */
export function createKeyPair(algorithm: KeyPairAlgorithm, privateKey: KeyObject): KeyPair {
  const { digest, options, members } = schemes[algorithm]
  const publicKey = createPublicKey(privateKey)
  const jwk = publicKey.export({ format: 'jwk' }) as { kty: PublicJwk['kty'] } & Record<string, string>
  const required = Object.fromEntries(members.map((name) => [name, jwk[name] ?? '']))
  const kid = hash('sha256', JSON.stringify(required), 'base64url')
  const signing = { ...options, key: privateKey }
  const verifying = { ...options, key: publicKey }
  return {
    kid,
    algorithm,
    publicJwk: { ...required, kty: jwk.kty, kid, use: 'sig', alg: algorithm },
    headers: headersFor(algorithm, kid),
    // With a callback, Node signs in its thread pool. For RSA, which takes up to a millisecond, the event loop must not wait; with
    // the others, a batch of tokens is signed by several cores.
    sign: (input) =>
      new Promise((resolve, reject) => {
        signInPool(digest, Buffer.from(input), signing, (error, signature) =>
          error ? reject(error) : resolve(signature.toString('base64url')),
        )
      }),
    verifies(input, signature) {
      const bytes = Buffer.from(signature, 'base64url')
      // Several base64url texts decode to the same bytes, and a token must have one form only.
      return (
        bytes.toString('base64url') === signature &&
        verifySignature(digest, Buffer.from(input), verifying, bytes)
      )
    },
  }
}
