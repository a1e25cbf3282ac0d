import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Gets the bearer token that a request presents (RFC 6750 section 2.1).
 * @param authorization the Authorization header
 * @returns undefined when the header is absent, malformed or of another scheme
 */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

/**
 * Whether a request presents a token as its bearer token (RFC 6750 section 2.1), compared in constant time.
 * @param authorization the Authorization header
 */
export function presentsToken(authorization: string | undefined, token: string): boolean {
  const presented = bearerTokenOf(authorization)
  // Compares digests, because timingSafeEqual needs two buffers of the same length.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
}
