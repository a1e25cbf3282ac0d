import { Refusal } from '@gatehouse/kit/errors'
import { isStorable } from '@gatehouse/kit/storable'
import { type AuthorityScope, scopesOfClaim } from '@gatehouse/proto/claims'

/** How a claim is requested; null asks for it without conditions. */
export type RequestedClaim = null | {
  readonly essential?: boolean
  readonly value?: unknown
  readonly values?: readonly unknown[]
}

/** The claims that a client asks for one by one (OpenID Connect Core section 5.5), by where it wants them. */
export type ClaimsRequest = {
  readonly userinfo?: Readonly<Record<string, RequestedClaim>>
  readonly id_token?: Readonly<Record<string, RequestedClaim>>
}

/** In characters. */
const longest = 4_000
const mostClaims = 50

/**
 * Reads the parameter `claims` of an authorization request.
 * @param text as it was sent, if it was
 * @returns undefined when nothing is requested
 * @throws Refusal invalid_request when it does not have the form of OpenID Connect Core section 5.5
 */
export function readClaimsRequest(text: string | undefined): ClaimsRequest | undefined {
  if (!text) return undefined
  const request = text.length > longest ? undefined : parseObject(text)
  if (request === undefined) throw malformed()
  const members = (['userinfo', 'id_token'] as const).filter((name) => request[name] !== undefined)
  return Object.fromEntries(members.map((name) => [name, checkMember(request[name])]))
}

/**
 * The part of a request that a scope may give. Claims that are not about the user stay.
 * @param scope space-separated
 * @param claimScopes the scopes that give claims about groups, roles and organizations
 */
export function claimsWithin(
  claims: ClaimsRequest,
  scope: string,
  claimScopes: readonly AuthorityScope[],
): ClaimsRequest {
  const words = scope.split(' ')
  const isWithin = (name: string) => {
    const scopes = scopesOfClaim(name, claimScopes)
    return scopes.length === 0 || scopes.some((one) => words.includes(one))
  }
  const members = Object.entries(claims).map(([member, requested]) => [
    member,
    Object.fromEntries(Object.entries(requested ?? {}).filter(([name]) => isWithin(name))),
  ])
  return Object.fromEntries(members)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text, (name, member) => {
      if (!isStorable(name) || (typeof member === 'string' && !isStorable(member))) throw malformed()
      return member
    })
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function checkMember(member: unknown): Record<string, RequestedClaim> {
  if (member === null) return {}
  if (!isObject(member)) throw malformed()
  const claims = Object.entries(member)
  if (claims.length > mostClaims || !claims.every(([, claim]) => isRequestedClaim(claim))) throw malformed()
  return member as Record<string, RequestedClaim>
}

function isRequestedClaim(claim: unknown): claim is RequestedClaim {
  if (claim === null) return true
  if (!isObject(claim)) return false
  const { essential, values } = claim
  return (
    (essential === undefined || typeof essential === 'boolean') &&
    (values === undefined || Array.isArray(values))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function malformed(): Refusal {
  return new Refusal(
    'invalid_request',
    'The parameter claims must be a JSON object with the members userinfo and id_token, as in OpenID Connect Core section 5.5.',
  )
}
