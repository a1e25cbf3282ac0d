import { createHmac, createSecretKey, hkdfSync, timingSafeEqual } from 'node:crypto'

/** A signing key, ready for use. Only the key knows its algorithm. */
export type SigningKey = {
  kid: string
  /** RFC 7518 section 3.1. */
  algorithm: string
  /** The JWT header of its tokens, in base64url, with the dot that follows. */
  prefix: string
  /**
   * Signs a JWT (RFC 7515 section 5.1).
   * @param input header and claims in base64url with a dot between them
   * @returns the signature in base64url
   */
  sign(input: string): string
  /** Whether the signature is that of the input, compared in constant time. */
  verifies(input: string, signature: string): boolean
}

/** The key that is OAUTH2_JWT_SECRET itself. Its tokens carry no kid. */
export const defaultKid = 'default'

const algorithm = 'HS256'

/**
 * Derives the key of a kid. The key of `default` is the secret itself, so that a resource server that holds the secret can
 * verify tokens. Every other key is HKDF-SHA256 (RFC 5869) of the secret with the kid as info, so that a leaked key reveals
 * no other. HS256 (RFC 7518 section 3.2) uses node:crypto, which is six times as fast as a JOSE library: it runs for every
 * request.
 */
export function deriveSigningKey(secret: string, kid: string): SigningKey {
  const key =
    kid === defaultKid
      ? createSecretKey(secret, 'utf8')
      : createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', kid, 32)))
  const sign = (input: string) => createHmac('sha256', key).update(input).digest('base64url')
  return {
    kid,
    algorithm,
    prefix: prefixFor(kid),
    sign,
    verifies(input, signature) {
      // Compared as text: several base64url texts decode to the same bytes, and a token must have one form only.
      const presented = Buffer.from(signature)
      const expected = Buffer.from(sign(input))
      return presented.length === expected.length && timingSafeEqual(presented, expected)
    },
  }
}

/** The only header written for a key. The type `at+jwt` keeps other kinds of JWT from being used as access tokens. */
function prefixFor(kid: string): string {
  const header = { alg: algorithm, typ: 'at+jwt', ...(kid !== defaultKid && { kid }) }
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.`
}

/** A token's header, in base64url, with the dot that follows. */
export function prefixOf(token: string): string {
  return token.slice(0, token.indexOf('.') + 1)
}

const defaultPrefix = prefixFor(defaultKid)
const prefixLength = prefixFor('00000000-0000-7000-8000-000000000000').length
const kidPattern = /"kid":"([\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})"/

/** The kid of a header exactly as this server writes it; undefined for any other. */
export function kidOf(prefix: string): string | undefined {
  if (prefix === defaultPrefix) return defaultKid
  if (prefix.length !== prefixLength) return undefined
  const kid = kidPattern.exec(Buffer.from(prefix.slice(0, -1), 'base64url').toString())?.[1]
  // Several base64url texts decode to the same header, and a token must have one form only.
  return kid !== undefined && prefixFor(kid) === prefix ? kid : undefined
}
