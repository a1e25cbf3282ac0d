import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  verify,
} from 'node:crypto'
import type { PublicKey } from '@gatehouse/kit/keys/public-key'
import type { AssertionAlgorithm } from '@gatehouse/proto/algorithms'
import { fromJoseSignature } from '../../keys/ecdsa-signature.ts'
import { type Assertion, algorithmNames } from './assertion.ts'

type Verify = (input: Buffer, key: KeyObject, signature: Buffer) => boolean

const edDsa: Verify = (input, key, signature) => verify(null, input, key, signature)

// On the event loop: the way through the thread pool costs half as much CPU again. Node takes a key alone much faster than with options;
// for RSA that means the padding of RS256.
const verifiers: Record<AssertionAlgorithm, Verify> = {
  ES256(input, key, signature) {
    const der = fromJoseSignature(signature)
    return der !== undefined && verify('sha256', input, key, der)
  },
  EdDSA: edDsa,
  Ed25519: edDsa,
  RS256: (input, key, signature) => verify('sha256', input, key, signature),
  // RFC 7518 section 3.5: the salt is as long as the digest.
  PS256: (input, key, signature) =>
    verify('sha256', input, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature),
}

/** How many keys are tried at most. */
const mostTried = 10

/** The keys of a client that may have made a signature: those of the kid first, and then those without one. */
export function candidates({ algorithm, kid }: Assertion, keys: readonly PublicKey[]): PublicKey[] {
  const names = algorithmNames(algorithm)
  const fitting = keys.filter(({ algorithms }) => names.some((name) => algorithms.has(name)))
  if (kid === undefined) return fitting.slice(0, mostTried)
  const named = fitting.filter((key) => key.kid === kid)
  return [...named, ...fitting.filter((key) => key.kid === undefined)].slice(0, mostTried)
}

/**
 * Finds the key that made the signature of an assertion. Without any key it takes as long as with one that did not make it.
 * @returns undefined when none of the keys did
 */
export function signingKeyOf(assertion: Assertion, keys: readonly PublicKey[]): PublicKey | undefined {
  const { algorithm, input, signature } = assertion
  const isBy = (key: KeyObject) => verifiers[algorithm](input, key, signature)
  if (keys.length === 0) isBy(nobodysKey(algorithm))
  return keys.find(({ key }) => isBy(key))
}

const nobodysKeys = new Map<string, KeyObject>()

/** A key with which nobody signs. */
function nobodysKey(algorithm: AssertionAlgorithm): KeyObject {
  const type = algorithm.slice(0, 2)
  const known = nobodysKeys.get(type) ?? createNobodysKey(type)
  nobodysKeys.set(type, known)
  return known
}

function createNobodysKey(type: string): KeyObject {
  if (type === 'ES') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  if (type === 'Ed') return generateKeyPairSync('ed25519').publicKey
  // To make one of RSA would take a tenth of a second. Any large odd number verifies as slowly as a product of primes.
  const modulus = randomBytes(256)
  modulus[0] = 255
  modulus[255] = 255
  return createPublicKey({
    key: { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' },
    format: 'jwk',
  })
}
