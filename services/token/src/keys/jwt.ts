import type { KeyPairAlgorithm } from '@gatehouse/proto/algorithms'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { headerOf, type JwtType, readHeader, type SigningKey } from './signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

/** The kinds of JWT other than access tokens. They are signed with key pairs, so that anybody can verify them. */
export type OtherJwtType = Exclude<JwtType, 'at+jwt'>

/** Signs and verifies ID tokens and logout tokens. */
export type JwtSigner = {
  /**
   * Signs a JWT with the active key of an algorithm.
   * @param type the `typ` of its header
   * @throws Refusal temporarily_unavailable when the algorithm has no active key, or the keys were not read for too long
   */
  signJwt(jwt: { algorithm: KeyPairAlgorithm; type: OtherJwtType; claims: object }): Promise<string>
  /**
   * The claims of a JWT of a type that this server signed, expired or not, such as an id_token_hint (OpenID Connect
   * RP-Initiated Logout 1.0 section 2): the caller checks its claims. undefined for anything else, and when its key is gone.
   * @throws Refusal temporarily_unavailable when its key is unknown and cannot be looked up
   */
  verifyJwt(token: string, expected: { type: OtherJwtType }): Promise<Record<string, unknown> | undefined>
  /** Whether a JWT has the form of this server's, but names a key that is gone or never was: then nobody can tell who signed it. */
  namesUnknownKey(token: string, expected: { type: OtherJwtType }): Promise<boolean>
}

/** In characters. A longer token is not one of this server's, so it need not be hashed. */
export const longestToken = 8_192

/** Signs claims. @returns the JWT; a promise if the signature is made by another thread */
export function signWith(key: SigningKey, type: JwtType, claims: object): string | Promise<string> {
  const header = key.headers[type]
  if (header === undefined) throw new Error(`a key of ${key.algorithm} signs no ${type}`)
  const input = header + Buffer.from(JSON.stringify(claims)).toString('base64url')
  const signature = key.sign(input)
  return typeof signature === 'string'
    ? `${input}.${signature}`
    : signature.then((text) => `${input}.${text}`)
}

/** The content of a JWT that this key signed; undefined when it did not, or the content is no JSON. */
export function openWith(key: SigningKey, token: string): unknown {
  const [start, end] = [headerOf(token).length, token.lastIndexOf('.')]
  if (end < start || !key.verifies(token.slice(0, end), token.slice(end + 1))) return undefined
  try {
    return JSON.parse(Buffer.from(token.slice(start, end), 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Creates the signer of ID tokens and logout tokens. */
export function createJwtSigner(keys: Pick<SigningKeys, 'checkFresh' | 'active' | 'find'>): JwtSigner {
  return {
    async signJwt({ algorithm, type, claims }) {
      keys.checkFresh(algorithm)
      return signWith(keys.active(algorithm), type, claims)
    },

    async verifyJwt(token, { type }) {
      if (token.length > longestToken) return undefined
      const key = await keys.find(token, type)
      const content = key && openWith(key, token)
      return isObject(content) ? content : undefined
    },

    async namesUnknownKey(token, { type }) {
      const header = headerOf(token)
      if (token.length > longestToken || readHeader(header) === undefined) return false
      const { typ } = decodeProtectedHeader({ protected: header.slice(0, -1) })
      return typ === type && (await keys.find(token, type)) === undefined
    },
  }
}

function isObject(content: unknown): content is Record<string, unknown> {
  return typeof content === 'object' && content !== null && !Array.isArray(content)
}
