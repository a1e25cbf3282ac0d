import { createHmac } from 'node:crypto'

/** The header of our access tokens. */
export const accessTokenHeader = { alg: 'HS256', typ: 'at+jwt' }

/**
 * Creates a JWT, with a valid signature or an invalid one.
 * @param header an object, or the text to encode
 * @param payload an object, or the text to encode
 * @param secret the key of the HMAC
 * @param algorithm Node's name of the hash
 */
export function makeJwt(
  header: object | string,
  payload: unknown,
  secret: string | Uint8Array,
  algorithm = 'sha256',
): string {
  const encode = (part: unknown) =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${createHmac(algorithm, secret).update(input).digest('base64url')}`
}

/** The claims of a JWT, unverified. */
export function claimsOf(token: string): Record<string, unknown> & { jti: string; exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
