import { createPublicKey, hash, type JsonWebKey, type KeyObject } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AssertionAlgorithm, isAssertionAlgorithm } from '@gatehouse/proto/algorithms'
import { certificatesIn } from '../certificates/authorities.ts'
import { type Certificate, readCertificate } from '../certificates/certificate.ts'

/** A public key of somebody else, which verifies signatures. */
export type PublicKey = {
  key: KeyObject
  /** The algorithms that it may verify: those of its type, or the one that it names. */
  algorithms: ReadonlySet<AssertionAlgorithm>
  kid: string | undefined
  /** SHA-256 (RFC 7638). */
  thumbprint: Buffer
  /** SHA-256 of the certificate of the key, if it has one: the first of `x5c` (RFC 7517 section 4.7). */
  certificate?: Buffer | undefined
}

/** A JSON Web Key that was read: one that verifies, one for another use (`ignored`), or a wrong one, with the rest of a sentence about it. */
export type ReadKey = { key: PublicKey } | { ignored: true } | { fault: string }

/** Each type: the parameter with the curve and the one that counts, the members of the thumbprint, and its algorithms. */
const types: Readonly<
  Record<string, { curve?: string; members: readonly string[]; algorithms: readonly AssertionAlgorithm[] }>
> = {
  EC: { curve: 'P-256', members: ['crv', 'kty', 'x', 'y'], algorithms: ['ES256'] },
  OKP: { curve: 'Ed25519', members: ['crv', 'kty', 'x'], algorithms: ['EdDSA', 'Ed25519'] },
  RSA: { members: ['e', 'kty', 'n'], algorithms: ['PS256', 'RS256'] },
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const rsaBits = { least: 2048, most: 4096 }
/** In characters of its JSON: room for a certificate chain. */
const longestKey = 16_384
const longestKid = 256

/**
 * Reads a JSON Web Key (RFC 7517 section 4) of somebody else. Private and symmetric keys are wrong, because whoever publishes one has lost it;
 * weak ones, and RSA keys so large that verifying takes long, as well; and keys that are not spelled as RFC 7518 section 6 says.
 */
export function readPublicKey(jwk: unknown): ReadKey {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return { fault: 'is no object' }
  const members = jwk as Readonly<Record<string, unknown>>
  const { kty, crv, kid, use, key_ops: operations, alg } = members
  if (kty === 'oct' || privateMembers.some((name) => Object.hasOwn(members, name)))
    return { fault: 'has a private or symmetric key: register the public one only, and replace the key' }
  if (JSON.stringify(jwk).length > longestKey) return { fault: `is longer than ${longestKey} characters` }
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > longestKid))
    return { fault: `has a kid that is no text of at most ${longestKid} characters` }
  if (use !== undefined && use !== 'sig') return { ignored: true }
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return { ignored: true }
  const type = typeof kty === 'string' && Object.hasOwn(types, kty) ? types[kty] : undefined
  if (type === undefined || (type.curve !== undefined && crv !== type.curve))
    return { fault: 'must be an RSA key, an EC key with P-256 or an OKP key with Ed25519' }
  const algorithms = type.algorithms.filter((one) => alg === undefined || one === alg)
  if (algorithms.length === 0)
    return isAssertionAlgorithm(alg) || typeof alg !== 'string'
      ? { fault: 'has an alg that does not fit its kty' }
      : { ignored: true }
  try {
    const named = Object.fromEntries(type.members.map((name) => [name, members[name]]))
    const key = createPublicKey({ key: named as { kty: string }, format: 'jwk' })
    // Node.js reads past characters that do not belong there. The same key in two spellings would have two thumbprints.
    if (!isDeepStrictEqual(key.export({ format: 'jwk' }), named))
      return { fault: 'must have its numbers as base64url, without padding, spaces or zeros in front' }
    const fault = kty === 'RSA' ? faultOfRsa(key) : undefined
    if (fault !== undefined) return { fault }
    const certificate = certificateOf(members.x5c)
    if (certificate && !certificate.x509.publicKey.equals(key))
      return { fault: 'has an x5c that begins with a certificate of another key' }
    const thumbprint = hash('sha256', JSON.stringify(named), 'buffer')
    const read = { key, algorithms: new Set(algorithms), kid: kid as string | undefined, thumbprint }
    return { key: { ...read, certificate: certificate?.digest } }
  } catch {
    return { fault: 'is no valid key' }
  }
}

/** @returns undefined for another value: most keys are not used by their certificates */
function certificateOf(x5c: unknown): Certificate | undefined {
  const [first] = Array.isArray(x5c) ? x5c : []
  // Base64 and not base64url (RFC 7517 section 4.7).
  if (typeof first !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(first)) return undefined
  return readCertificate(Buffer.from(first, 'base64'))
}

/**
 * The JSON Web Key of a public key, or of a certificate, in PEM (RFC 7468). A certificate comes with its key (RFC 7517 section 4.7), which then
 * also serves `self_signed_tls_client_auth`.
 * @throws Error for anything else
 */
export function publicJwkOf(pem: string): JsonWebKey {
  const [certificate] = certificatesIn(pem)
  const key = createPublicKey(pem).export({ format: 'jwk' })
  return { ...key, ...(certificate && { x5c: [certificate.toString('base64')] }) }
}

function faultOfRsa({ asymmetricKeyDetails: details }: KeyObject): string | undefined {
  const { modulusLength = 0, publicExponent = 0n } = details ?? {}
  if (modulusLength < rsaBits.least || modulusLength > rsaBits.most)
    return `must have ${rsaBits.least} to ${rsaBits.most} bits`
  // A larger exponent only makes verifying slow.
  return publicExponent >= 3n && publicExponent < 2n ** 32n && publicExponent % 2n === 1n
    ? undefined
    : 'has an exponent that is even, too small or too large'
}

/** A JSON Web Key Set that was read: its keys that verify, or the rest of a sentence about a wrong one. */
export type ReadKeySet = { keys: PublicKey[] } | { fault: string }

/**
 * Reads a JSON Web Key Set (RFC 7517 section 5) of somebody else.
 * @param mostKeys how many it may have
 */
export function readKeySet(set: unknown, mostKeys: number): ReadKeySet {
  const { keys } = Object(set) as { keys?: unknown }
  if (!Array.isArray(keys)) return { fault: 'must be an object with a list of keys' }
  if (keys.length > mostKeys) return { fault: `has more than ${mostKeys} keys` }
  const read: PublicKey[] = []
  for (const [index, jwk] of keys.entries()) {
    const result = readPublicKey(jwk)
    if ('fault' in result) return { fault: `is invalid: key ${index + 1} ${result.fault}` }
    if ('key' in result) read.push(result.key)
  }
  return { keys: read }
}
