import { hash, timingSafeEqual } from 'node:crypto'

/**
 * Whether a request shows a token as a bearer token (RFC 6750 section 2.1), found out in constant time.
 * @param authorization the header Authorization
 */
export function presentsToken(authorization: string | undefined, token: string): boolean {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  // Digests, because the comparison wants two of the same length.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return presented !== undefined && timingSafeEqual(digest(presented), digest(token))
}
