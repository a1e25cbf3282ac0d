import { type AssertionAlgorithm, isAssertionAlgorithm } from '@gatehouse/proto/algorithms'
import { assertionTimes, longestAssertion } from '@gatehouse/proto/client-authentication'

/** An assertion of a client whose signature was not verified yet. */
export type Assertion = {
  algorithm: AssertionAlgorithm
  kid: string | undefined
  claims: Readonly<Record<string, unknown>>
  /** Header and payload as they were signed (RFC 7515 section 5.2). */
  input: Buffer
  signature: Buffer
}

/** The claims of an assertion that were checked, as far as more than the check is done with them. */
export type CheckedClaims = { aud: readonly string[]; jti: string; exp: number }

/** Why an assertion does not count. */
export type AssertionFault = 'wrong_assertion' | 'expired_assertion'

/** In characters. */
const longestId = 256

/** The types of JWT that assertions have (RFC 7523, RFC 10070): no other token of anybody counts as one. */
const types: ReadonlySet<unknown> = new Set(['jwt', 'client-authentication+jwt'])

/** Reads an assertion; undefined for anything that cannot be one. Keys in its header or at an address in it never count. */
export function readAssertion(text: string): Assertion | undefined {
  if (text.length > longestAssertion || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) return undefined
  const end = text.lastIndexOf('.')
  const [header, claims] = text.slice(0, end).split('.').map(readObject)
  if (header === undefined || claims === undefined) return undefined
  const { alg, kid, typ, crit } = header
  // Nothing that must be understood is (RFC 7515 section 4.1.11).
  if (!isAssertionAlgorithm(alg) || crit !== undefined) return undefined
  if (typ !== undefined && !(typeof typ === 'string' && types.has(typ.toLowerCase()))) return undefined
  if (kid !== undefined && !(typeof kid === 'string' && kid.length <= longestId)) return undefined
  return {
    ...{ algorithm: alg, kid, claims },
    input: Buffer.from(text.slice(0, end)),
    signature: Buffer.from(text.slice(end + 1), 'base64url'),
  }
}

/**
 * Checks all claims of an assertion but the value of its audience (RFC 7523 section 3).
 * @param clientId the client that it must be about, which must have made it
 * @param now milliseconds since the Unix epoch
 */
export function checkClaims(
  { claims }: Pick<Assertion, 'claims'>,
  clientId: string,
  now: number,
): CheckedClaims | AssertionFault {
  const { iss, sub, aud, jti, exp, nbf, iat } = claims
  if (iss !== clientId || sub !== clientId) return 'wrong_assertion'
  if (typeof jti !== 'string' || jti === '' || jti.length > longestId) return 'wrong_assertion'
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!isTexts(audiences) || typeof exp !== 'number') return 'wrong_assertion'
  if ([nbf, iat].some((time) => time !== undefined && typeof time !== 'number')) return 'wrong_assertion'
  const seconds = now / 1_000
  const latest = seconds + assertionTimes.skew
  const isEarly = [nbf, iat].some((time) => typeof time === 'number' && time > latest)
  if (isEarly || exp <= seconds - assertionTimes.skew || exp > latest + assertionTimes.longest)
    return 'expired_assertion'
  return { aud: audiences, jti, exp }
}

/** Algorithms that are one under two names (RFC 9864). */
export function algorithmNames(algorithm: AssertionAlgorithm): readonly AssertionAlgorithm[] {
  return algorithm === 'EdDSA' || algorithm === 'Ed25519' ? ['EdDSA', 'Ed25519'] : [algorithm]
}

function isTexts(values: readonly unknown[]): values is readonly string[] {
  return values.every((value) => typeof value === 'string')
}

function readObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
