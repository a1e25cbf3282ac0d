import type { SigningAlgorithm } from '@gatehouse/proto/algorithms'
import { type AudienceClaim, isAudienceClaim } from '../clients/audience.ts'
import { longestToken, openWith, signWith } from '../keys/jwt.ts'
import type { SigningKey } from '../keys/signing-key.ts'
import { type SigningKeys, signsUnread } from '../keys/signing-keys.ts'
import type { GrantClaims } from './grant-record.ts'
import { issuedAt } from './token-id.ts'

/** An access token's claims (RFC 9068 section 2.2). They contain no personal data of the user. */
export type AccessTokenClaims = GrantClaims & {
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
  /**
   * @returns the token; a promise if the signature is made by another thread
   * @throws Refusal temporarily_unavailable when no key is known
   */
  sign(claims: AccessTokenClaims): string | Promise<string>
  /**
   * The claims of a token that this server signed, expired or not; undefined for anything else. Returns a promise only when
   * the token's key must be looked up; it rejects with temporarily_unavailable when that fails.
   */
  verify(token: string): AccessTokenClaims | undefined | Promise<AccessTokenClaims | undefined>
}

/**
 * Creates a signer that uses the active key of an algorithm.
 * @param keys the signing keys
 * @param algorithm the algorithm of new tokens; tokens of other known keys are verified too
 * @param issuer the required `iss`
 * @param audience the required `aud`; undefined where tokens may be for resource servers, which their rows say
 */
export function createAccessTokenSigner(
  keys: Pick<SigningKeys, 'checkFresh' | 'active' | 'find'>,
  {
    algorithm,
    issuer,
    audience,
  }: { algorithm: SigningAlgorithm; issuer: string; audience: string | undefined },
): AccessTokenSigner {
  /** @returns the claims if this key signed the token and its issuer and audience are right */
  function open(token: string, key: SigningKey): AccessTokenClaims | undefined {
    const claims = openWith(key, token)
    if (!isOurs(claims) || claims.iss !== issuer || isNewerThan(key, claims)) return undefined
    return audience === undefined || claims.aud === audience ? claims : undefined
  }

  return {
    issuer,
    checkFresh: () => keys.checkFresh(algorithm),

    sign: (claims) => signWith(keys.active(algorithm), 'at+jwt', claims),

    verify(token) {
      if (token.length > longestToken) return undefined
      const key = keys.find(token, 'at+jwt')
      if (key instanceof Promise) return key.then((found) => found && open(token, found))
      return key && open(token, key)
    },
  }
}

/** In milliseconds: how long a replica may sign with a key after the others learned that it no longer signs, and their clocks differ. */
const learnsWithin = signsUnread * 1000

/**
 * Whether a token is newer than its key signs. Anybody with the secret can write a token for the row of a real one: that row has
 * the `jti`, and so the time, while `iat` is theirs to choose.
 */
function isNewerThan({ issuedUntil }: SigningKey, { jti }: AccessTokenClaims): boolean {
  return issuedUntil !== undefined && issuedAt(jti).getTime() > issuedUntil + learnsWithin
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

// Anybody who holds the secret can sign anything, so malformed claims make a token inactive instead of causing an error.
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
