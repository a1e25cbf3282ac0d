import {
  type ClaimsShape,
  claimsShapes,
  identifierFault,
  isOrganizationScope,
  isReservedScope,
  tokenClaims as knownClaims,
  resourceServerLimits,
} from '@gatehouse/proto/resource-servers'
import { checkText, refuse } from './checked-text.ts'
import type { ResourceRole } from './resource-role.ts'

/** A scope of a resource server. */
export type ResourceScope = {
  scope: string
  /** The permission that it gives, for the consent page. */
  description: string
}

/** A resource server as stored. */
export type ResourceServer = {
  resourceId: string
  /** The absolute URI that tokens for it have as `aud`. */
  identifier: string
  name: string
  scopes: readonly ResourceScope[]
  /** The longest lifetime of access tokens for it, in seconds; undefined for that of the client. */
  tokenLifetime: number | undefined
  /** Whether clients that register themselves may have its scopes. */
  openRegistration: boolean
  /** The client as which it authenticates at introspection, if it does. */
  clientId: string | undefined
  roles: readonly ResourceRole[]
  /** Whether a token's scope for it is only what roles give. */
  scopesByRole: boolean
  /** The claims about users that access tokens for it have, in the order of proto/resource-servers.ts. */
  tokenClaims: readonly string[]
  claimsShape: ClaimsShape
  disabled: boolean
  createdAt: Date
  /** Rises with every change. */
  revision: bigint
  /** The columns of its list without a field here. */
  columns: Readonly<Record<string, unknown>>
}

/** The fields that an administrator sets when they create a resource server. */
export type NewResourceServer = Omit<
  ResourceServer,
  'resourceId' | 'disabled' | 'createdAt' | 'revision' | 'columns'
>

/** The fields of a resource server that an administrator may change. */
export type ResourceServerSettings = Omit<NewResourceServer, 'identifier'> & Pick<ResourceServer, 'disabled'>

/** One value of a scope (RFC 6749 section 3.3). */
const scopeValue = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/**
 * Checks the identifier of a new resource server.
 * @param issuer this server, whose own address cannot be that of a resource server: tokens for it administer this server
 * @throws Refusal invalid_request
 */
export function checkIdentifier(identifier: string, issuer: string): string {
  const fault = identifierFault(identifier)
  if (fault) refuse(`identifier ${fault}`)
  if (identifier === issuer || identifier === `${issuer}/`)
    refuse('identifier must not be the address of this server')
  return identifier
}

/** The rules for scopes that depend on the server, and on the resource server. */
export type ScopeRules = {
  /** Whether the server gives `groups`, `roles` and `organization` a meaning. */
  organizations: boolean
  /** The scopes that the resource server has until now, which it may keep. */
  before: readonly ResourceScope[]
}

/**
 * Checks what an administrator sets, except for roles, which depend on the scopes.
 * @returns the settings, with the white space around texts removed
 * @throws Refusal invalid_request, which names the field
 */
export function checkSettings<Settings extends Partial<ResourceServerSettings>>(
  settings: Settings,
  rules: ScopeRules,
): Settings {
  const { name, scopes, tokenLifetime, tokenClaims, claimsShape } = settings
  if (tokenLifetime !== undefined) checkLifetime(tokenLifetime)
  if (claimsShape !== undefined && !claimsShapes.includes(claimsShape))
    refuse(`claims_shape must be one of ${claimsShapes.join(', ')}`)
  return {
    ...settings,
    ...(name !== undefined && { name: checkText('name', name, resourceServerLimits.name) }),
    ...(scopes !== undefined && { scopes: checkScopes(scopes, rules) }),
    ...(tokenClaims !== undefined && { tokenClaims: checkClaims(tokenClaims) }),
  }
}

function checkScopes(
  scopes: readonly ResourceScope[],
  { organizations, before }: ScopeRules,
): ResourceScope[] {
  const limits = resourceServerLimits
  if (scopes.length === 0) refuse('scopes must have at least one scope')
  if (scopes.length > limits.scopes) refuse(`scopes must have at most ${limits.scopes} scopes`)
  const seen = new Set<string>()
  return scopes.map(({ scope, description }, index) => {
    const field = `scopes[${index}]`
    if (!scopeValue.test(scope) || scope.length > limits.scope)
      refuse(`${field} must be a word of at most ${limits.scope} characters without quotes and backslashes`)
    const isNew = !before.some((one) => one.scope === scope)
    if (isReservedScope(scope) || (organizations && isNew && isOrganizationScope(scope)))
      refuse(`${field} must not be ${scope}, which has a meaning on this server`)
    if (seen.has(scope)) refuse(`${field} is a scope that the list has before`)
    seen.add(scope)
    return { scope, description: checkText(`${field}.description`, description, limits.description) }
  })
}

function checkClaims(claims: readonly string[]): string[] {
  const unknown = claims.find((claim) => !knownClaims.includes(claim))
  if (unknown !== undefined)
    refuse(`token_claims must be claims out of ${knownClaims.join(', ')}; ${unknown} is not`)
  return knownClaims.filter((claim) => claims.includes(claim))
}

function checkLifetime(seconds: number): void {
  const { minimum, maximum } = resourceServerLimits.tokenLifetime
  if (!Number.isInteger(seconds) || seconds < minimum || seconds > maximum)
    refuse(`token_lifetime must be a whole number from ${minimum} to ${maximum}`)
}
