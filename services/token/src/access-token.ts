import type { SigningKey } from './signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

/** What an access token says (RFC 9068 section 2.2). Nothing in it tells who the user is. */
export type AccessTokenClaims = {
  iss: string
  /** The user's id, or the client_id where there is no user. */
  sub: string
  aud: string
  /** Seconds since the Unix epoch. */
  exp: number
  /** Seconds since the Unix epoch. */
  iat: number
  /** A UUIDv7, so that rows inserted together lie together. */
  jti: string
  scope: string
  client_id: string
}

/** Makes and checks the signatures of access tokens. */
export type AccessTokenSigner = {
  /** The `iss` of what it signs. */
  issuer: string
  /**
   * To be asked before a token begins its life: when its time of expiry is set, and before anything is used up for it.
   * @throws Refusal temporarily_unavailable where it could not be verified all its life
   */
  checkFresh(): void
  /** @throws Refusal temporarily_unavailable where no key is known */
  sign(claims: AccessTokenClaims): string
  /**
   * The claims of a token that we signed, expired or not; undefined for anything else. At once, unless the token's key
   * has to be looked up: then a promise, which is rejected with temporarily_unavailable when that cannot be done.
   */
  verify(token: string): AccessTokenClaims | undefined | Promise<AccessTokenClaims | undefined>
}

/** Longer is not ours, so it need not be hashed. In characters. */
const longestToken = 8_192

/**
 * A signer with whatever key is active.
 * @param keys what it signs with
 * @param issuer what `iss` must be
 * @param audience what `aud` must be
 */
export function createAccessTokenSigner(
  keys: Pick<SigningKeys, 'checkFresh' | 'active' | 'known' | 'candidateOf' | 'confirm'>,
  issuer: string,
  audience: string,
): AccessTokenSigner {
  /** @returns the claims of a token that this key has signed */
  function open(token: string, { prefix, verifies }: SigningKey): AccessTokenClaims | undefined {
    const end = token.lastIndexOf('.')
    if (end < prefix.length || !verifies(token.slice(0, end), token.slice(end + 1))) return undefined
    const claims = parseJson(Buffer.from(token.slice(prefix.length, end), 'base64url').toString())
    return isOurs(claims) && claims.iss === issuer && claims.aud === audience ? claims : undefined
  }

  return {
    issuer,
    checkFresh: keys.checkFresh,

    sign(claims) {
      const key = keys.active()
      const input = key.prefix + Buffer.from(JSON.stringify(claims)).toString('base64url')
      return `${input}.${key.sign(input)}`
    },

    verify(token) {
      if (token.length > longestToken) return undefined
      // Only a header of our own is a token of ours: another `alg`, `none` too, never reaches the signature.
      const known = keys.known(token)
      if (known) return open(token, known)
      const candidate = keys.candidateOf(token)
      // Who does not hold the secret cannot make us ask for a key.
      const claims = candidate && open(token, candidate)
      return claims && keys.confirm(candidate).then((confirmed) => confirmed && claims)
    },
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// Who holds the secret can sign anything: what does not look like ours must be inactive, not an error.
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isOurs(claims: unknown): claims is AccessTokenClaims {
  const { iss, exp, iat, jti, scope, sub, aud, client_id } = (claims ?? {}) as Record<string, unknown>
  return (
    isTime(exp) &&
    isTime(iat) &&
    typeof jti === 'string' &&
    uuid.test(jti) &&
    [iss, scope, sub, aud, client_id].every((claim) => typeof claim === 'string')
  )
}

function isTime(claim: unknown): boolean {
  return Number.isInteger(claim) && (claim as number) > 0 && (claim as number) < 2 ** 31
}
