import { hash, timingSafeEqual } from 'node:crypto'

/**
 * The token that a request presents as a bearer token (RFC 6750 section 2.1).
 * @param authorization the header Authorization
 * @returns undefined where the header is absent, of another scheme, or malformed
 */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/**
 * Whether a request shows a token as a bearer token (RFC 6750 section 2.1), found out in constant time.
 * @param authorization the header Authorization
 */
export function presentsToken(authorization: string | undefined, token: string): boolean {
  const presented = bearerTokenOf(authorization)
  // Digests, because the comparison wants two of the same length.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
}
