import { Refusal } from '@gatehouse/kit/errors'
import { type PublicKey, publicJwkOf, readKeySet, readPublicKey } from '@gatehouse/kit/keys/public-key'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import type { KeySet } from '@gatehouse/proto/client-columns'

type Jwk = KeySet['keys'][number]

/** The members of a key that are kept (RFC 7517 section 4, RFC 7518 section 6): everything public that says which key it is and for what. */
const keptMembers = new Set([
  ...['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use', 'key_ops'],
  ...['x5c', 'x5t', 'x5t#S256'],
])

/** Visible ASCII characters. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]*$/.test(value)

/** The members that are kept of a key. Unknown ones, and those with a value of another kind, are ignored as in all metadata (RFC 7591). */
function keptOf(jwk: object): Jwk {
  const members = Object.entries(jwk).filter(
    ([name, value]) =>
      keptMembers.has(name) &&
      (name === 'kid' || isPlain(value) || (Array.isArray(value) && value.every(isPlain))),
  )
  return Object.fromEntries(members)
}

/** A set that faultOfKeySet has checked, as it is stored. */
export function storedKeySet(set: { keys: readonly object[] }): KeySet {
  return { keys: set.keys.map(keptOf) }
}

/** The fault of a set of public keys, as the end of "jwks …"; undefined for none. */
export function faultOfKeySet(set: unknown, mostKeys: number): string | undefined {
  const read = readKeySet(set, mostKeys)
  if ('fault' in read) return read.fault
  const { keys } = set as { keys: readonly { kid?: string }[] }
  for (const [index, { kid }] of keys.entries()) {
    const fault = kid === undefined ? undefined : visibleTextFault(kid)
    if (fault !== undefined) return `is invalid: the kid of key ${index + 1} ${fault}`
  }
  return undefined
}

/** A key of a stored set, which verifies signatures. */
export type StoredKey = { jwk: Jwk; key: PublicKey }

/** The keys of a stored set that verify signatures, in their order. */
export function verifyingKeys(set: KeySet | undefined): StoredKey[] {
  return (set?.keys ?? []).flatMap((jwk) => {
    const read = readPublicKey(jwk)
    return 'key' in read ? [{ jwk, key: read.key }] : []
  })
}

/** The key types of RFC 7518 by Node's names. */
const keyTypes: Readonly<Record<string, string>> = { ec: 'EC', ed25519: 'OKP', rsa: 'RSA' }

/** The `kty` of a public key. */
export function keyTypeOf({ key }: PublicKey): string {
  return keyTypes[key.asymmetricKeyType ?? ''] ?? ''
}

/** In characters: room for a certificate with a long key. */
const longestPem = 16_384

/**
 * Reads a public key or a certificate in PEM (RFC 7468).
 * @throws Refusal invalid_request
 */
export function jwkOfPem(pem: string): object {
  if (pem.includes('PRIVATE KEY'))
    throw new Refusal(
      'invalid_request',
      'pem is a private key: send the public one only, and replace the key, since it has been sent over the network.',
    )
  try {
    if (pem.length <= longestPem) return publicJwkOf(pem)
  } catch {
    // The parser's message would help nobody.
  }
  throw new Refusal(
    'invalid_request',
    'pem must be a public key (BEGIN PUBLIC KEY) or a certificate (BEGIN CERTIFICATE).',
  )
}
