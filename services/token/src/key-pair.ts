import {
  constants,
  createPublicKey,
  generateKeyPair as generate,
  hash,
  type KeyObject,
  type SignKeyObjectInput,
  sign as signNow,
  verify as verifyNow,
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
  /** Whether signatures are made by the thread pool. */
  inThreadPool: boolean
  /** The members of the public key that its thumbprint covers, in their order (RFC 7638 section 3.2, RFC 8037 section 2). */
  members: readonly string[]
}

const generatePair = promisify(generate)
const rsa = {
  generate: () => generatePair('rsa', { modulusLength: 2048 }),
  digest: 'sha256',
  inThreadPool: true,
  members: ['e', 'kty', 'n'],
} as const

// RSA takes about a millisecond a signature. The others are so quick that handing them to another thread costs as much as it
// saves.
const schemes: Record<KeyPairAlgorithm, Scheme> = {
  ES256: {
    generate: () => generatePair('ec', { namedCurve: 'P-256' }),
    digest: 'sha256',
    // RFC 7518 section 3.4 has the two numbers side by side, not DER.
    options: { dsaEncoding: 'ieee-p1363' },
    inThreadPool: true,
    members: ['crv', 'kty', 'x', 'y'],
  },
  EdDSA: {
    generate: () => generatePair('ed25519'),
    digest: null,
    options: {},
    inThreadPool: true,
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
  const { digest, options, inThreadPool, members } = schemes[algorithm]
  const publicKey = createPublicKey(privateKey)
  const jwk = publicKey.export({ format: 'jwk' }) as { kty: PublicJwk['kty'] } & Record<string, string>
  const required = Object.fromEntries(members.map((name) => [name, jwk[name] ?? '']))
  const kid = hash('sha256', JSON.stringify(required), 'base64url')
  const signing = { ...options, key: privateKey }
  const verifying = { ...options, key: publicKey }
  const signInPool = (input: string) =>
    new Promise<string>((resolve, reject) => {
      signNow(digest, Buffer.from(input), signing, (error, signature) =>
        error ? reject(error) : resolve(signature.toString('base64url')),
      )
    })
  return {
    kid,
    algorithm,
    publicJwk: { ...required, kty: jwk.kty, kid, use: 'sig', alg: algorithm },
    headers: headersFor(algorithm, kid),
    sign: inThreadPool
      ? signInPool
      : (input) => signNow(digest, Buffer.from(input), signing).toString('base64url'),
    verifies(input, signature) {
      const bytes = Buffer.from(signature, 'base64url')
      // Several base64url texts decode to the same bytes, and a token must have one form only.
      return (
        bytes.toString('base64url') === signature && verifyNow(digest, Buffer.from(input), verifying, bytes)
      )
    },
  }
}
