import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'
import { type Keyring, keysOf } from '@gatehouse/kit/secrets/keyring'
import { type KeyPairAlgorithm, keyPairAlgorithms, type SigningAlgorithm } from '@gatehouse/proto/algorithms'

/**
 * The kinds of JWT that this server signs, by the `typ` of their header: access tokens (RFC 9068 section 2.1), ID tokens, and
 * logout tokens (OpenID Connect Back-Channel Logout 1.0 section 2.4). The type keeps one kind from being used as another.
 */
export const jwtTypes = ['at+jwt', 'JWT', 'logout+jwt'] as const

/** A kind of JWT. */
export type JwtType = (typeof jwtTypes)[number]

/** A signing key, ready for use. Only the key knows its algorithm. */
export type SigningKey = {
  kid: string
  algorithm: SigningAlgorithm
  /**
   * The only headers written for the key, in base64url with the dot that follows, by the type of JWT. The key signs no other
   * types.
   */
  headers: Readonly<Partial<Record<JwtType, string>>>
  /**
   * When a key that verifiers can sign with stopped signing, in milliseconds since the Unix epoch: it verifies nothing newer. undefined
   * while it signs, and for key pairs.
   */
  issuedUntil?: number | undefined
  /**
   * Signs a JWT (RFC 7515 section 5.1).
   * @param input header and claims in base64url with a dot between them
   * @returns the signature in base64url; a promise if another thread makes it
   */
  sign(input: string): string | Promise<string>
  /** Whether the signature is that of the input. */
  verifies(input: string, signature: string): boolean
}

/** The key that is OAUTH2_JWT_SECRET itself. Its tokens carry no kid. */
export const defaultKid = 'default'

/**
 * Derives the HS256 key of a kid. The key of `default` is the secret itself, so that a resource server that holds the secret can
 * verify tokens. Every other key is HKDF-SHA256 (RFC 5869) of the secret with the kid as info, so that a leaked key reveals
 * no other. HS256 (RFC 7518 section 3.2) uses node:crypto, which is six times as fast as a JOSE library: it runs for every
 * request.
 * @param secret the current one signs; the next one verifies what the current one does not
 */
export function deriveSigningKey(secret: Keyring, kid: string): SigningKey {
  const [current, next] = keysOf(secret, (one) =>
    kid === defaultKid
      ? createSecretKey(one, 'utf8')
      : createSecretKey(Buffer.from(hkdfSync('sha256', one, '', kid, 32))),
  )
  return {
    kid,
    algorithm: 'HS256',
    // Anybody who can verify HS256 can also sign, so it signs nothing but access tokens, which are stored as well.
    headers: { 'at+jwt': headerFor('HS256', 'at+jwt', kid) },
    sign: (input) => signatureOf(current, input),
    verifies(input, signature) {
      // Compared as text: several base64url texts decode to the same bytes, and a token must have one form only.
      const presented = Buffer.from(signature)
      return (
        isSignature(current, input, presented) || (next !== undefined && isSignature(next, input, presented))
      )
    },
  }
}

function signatureOf(key: KeyObject, input: string): string {
  return createHmac('sha256', key).update(input).digest('base64url')
}

function isSignature(key: KeyObject, input: string, presented: Buffer): boolean {
  const expected = Buffer.from(signatureOf(key, input))
  return presented.length === expected.length && timingSafeEqual(presented, expected)
}

/** The headers of a key pair, by the type of JWT. */
export function headersFor(algorithm: KeyPairAlgorithm, kid: string): Record<JwtType, string> {
  const headers = jwtTypes.map((type) => [type, headerFor(algorithm, type, kid)])
  return Object.fromEntries(headers) as Record<JwtType, string>
}

function headerFor(alg: SigningAlgorithm, typ: JwtType, kid: string): string {
  const header = { alg, typ, ...(kid !== defaultKid && { kid }) }
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
}

/** A token's header, in base64url, with the dot that follows. */
export function headerOf(token: string): string {
  return token.slice(0, token.indexOf('.') + 1)
}

const defaultHeader = headerFor('HS256', 'at+jwt', defaultKid)
const derivedForm =
  /^\{"alg":"HS256","typ":"at\+jwt","kid":"([\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})"\}$/
const pairForm = new RegExp(
  `^\\{"alg":"(${keyPairAlgorithms.join('|')})","typ":"(${jwtTypes.join('|').replaceAll('+', '\\+')})","kid":"([\\w-]{43})"\\}$`,
)
const longestHeader = 200

/**
 * Reads a header exactly as this server writes it.
 * @param header in base64url, with the dot that follows
 * @returns the algorithm and kid of the key that it names; undefined for any other header
 */
export function readHeader(header: string): { algorithm: SigningAlgorithm; kid: string } | undefined {
  if (header === defaultHeader) return { algorithm: 'HS256', kid: defaultKid }
  if (header === '' || header.length > longestHeader) return undefined
  const bytes = Buffer.from(header.slice(0, -1), 'base64url')
  // Several base64url texts decode to the same header, and a token must have one form only.
  if (`${bytes.toString('base64url')}.` !== header) return undefined
  const text = bytes.toString()
  const [, derivedKid] = derivedForm.exec(text) ?? []
  if (derivedKid !== undefined) return { algorithm: 'HS256', kid: derivedKid }
  const [, algorithm, , kid] = pairForm.exec(text) ?? []
  return kid === undefined ? undefined : { algorithm: algorithm as KeyPairAlgorithm, kid }
}
