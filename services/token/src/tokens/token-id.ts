/** When a token was issued, taken from its id, a UUIDv7 (RFC 9562 section 5.7). */
export function issuedAt(jti: string): Date {
  return new Date(Number.parseInt(jti.slice(0, 8) + jti.slice(9, 13), 16))
}
