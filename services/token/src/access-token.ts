import { type AudienceClaim, isAudienceClaim } from './audience.ts'
import type { SigningKey } from './signing-key.ts'
import type { SigningKeys } from './signing-keys.ts'

/** An access token's claims (RFC 9068 section 2.2). They contain no personal data of the user. */
export type AccessTokenClaims = {
  iss: string
  /** The user's id, or the client_id where there is no user. */
  sub: string
  aud: AudienceClaim
  /** Seconds since the Unix epoch. */
  exp: number
  /** Seconds since the Unix epoch. */
  iat: number
  /** A UUIDv7, so that rows inserted together are stored together. */
  jti: string
  scope: string
  client_id: string
}

/** Signs and verifies access tokens. */
export type AccessTokenSigner = {
  /** The `iss` of the tokens it signs. */
  issuer: string
  /**
   * Call this when a token's expiry is set, and before a code or refresh token is used up for it.
   * @throws Refusal temporarily_unavailable when the token might not be verifiable until it expires
   */
  checkFresh(): void
  /** @throws Refusal temporarily_unavailable when no key is known */
  sign(claims: AccessTokenClaims): string
  /**
   * The claims of a token that this server signed, expired or not; undefined for anything else. Returns a promise only when
   * the token's key must be looked up; it rejects with temporarily_unavailable when that fails.
   */
  verify(token: string): AccessTokenClaims | undefined | Promise<AccessTokenClaims | undefined>
}

/** In characters. A longer token is not one of this server's, so it need not be hashed. */
const longestToken = 8_192

/**
 * Creates a signer that uses the active key.
 * @param keys the signing keys
 * @param issuer the required `iss`
 * @param audience the required `aud`; undefined where tokens may be for resource servers, which their rows say
 */
export function createAccessTokenSigner(
  keys: Pick<SigningKeys, 'checkFresh' | 'active' | 'known' | 'candidateOf' | 'confirm'>,
  issuer: string,
  audience: string | undefined,
): AccessTokenSigner {
  /** @returns the claims if this key signed the token and its issuer and audience are right */
  function open(token: string, { prefix, verifies }: SigningKey): AccessTokenClaims | undefined {
    const end = token.lastIndexOf('.')
    if (end < prefix.length || !verifies(token.slice(0, end), token.slice(end + 1))) return undefined
    const claims = parseJson(Buffer.from(token.slice(prefix.length, end), 'base64url').toString())
    if (!isOurs(claims) || claims.iss !== issuer) return undefined
    return audience === undefined || claims.aud === audience ? claims : undefined
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
      // Only a header exactly as this server writes it passes: any other `alg`, such as `none`, never reaches the signature.
      const known = keys.known(token)
      if (known) return open(token, known)
      const candidate = keys.candidateOf(token)
      // The signature is checked first, so nobody without the secret can cause a key look-up.
      const claims = candidate && open(token, candidate)
      return claims && keys.confirm(candidate).then((confirmed) => confirmed && claims)
    },
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// Anybody who holds the secret can sign anything, so malformed claims make a token inactive instead of causing an error.
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
    isAudienceClaim(aud) &&
    [iss, scope, sub, client_id].every((claim) => typeof claim === 'string')
  )
}

function isTime(claim: unknown): boolean {
  return Number.isInteger(claim) && (claim as number) > 0 && (claim as number) < 2 ** 31
}
