import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { identifierFault, isReservedScope, resourceServerLimits } from '@gatehouse/proto/resource-servers'

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

/**
 * Checks what an administrator sets.
 * @returns the settings, with the white space around texts removed
 * @throws Refusal invalid_request, which names the field
 */
export function checkSettings<Settings extends Partial<ResourceServerSettings>>(
  settings: Settings,
): Settings {
  const { name, scopes, tokenLifetime } = settings
  if (tokenLifetime !== undefined) checkLifetime(tokenLifetime)
  return {
    ...settings,
    ...(name !== undefined && { name: checkText('name', name, resourceServerLimits.name) }),
    ...(scopes !== undefined && { scopes: checkScopes(scopes) }),
  }
}

function checkScopes(scopes: readonly ResourceScope[]): ResourceScope[] {
  const limits = resourceServerLimits
  if (scopes.length === 0) refuse('scopes must have at least one scope')
  if (scopes.length > limits.scopes) refuse(`scopes must have at most ${limits.scopes} scopes`)
  const seen = new Set<string>()
  return scopes.map(({ scope, description }, index) => {
    const field = `scopes[${index}]`
    if (!scopeValue.test(scope) || scope.length > limits.scope)
      refuse(`${field} must be a word of at most ${limits.scope} characters without quotes and backslashes`)
    if (isReservedScope(scope)) refuse(`${field} must not be ${scope}, which has a meaning on this server`)
    if (seen.has(scope)) refuse(`${field} is a scope that the list has before`)
    seen.add(scope)
    return { scope, description: checkText(`${field}.description`, description, limits.description) }
  })
}

function checkText(field: string, text: string, longest: number): string {
  const trimmed = text.trim()
  if (trimmed === '') refuse(`${field} is empty`)
  if ([...trimmed].length > longest) refuse(`${field} is longer than ${longest} characters`)
  const fault = visibleTextFault(trimmed)
  if (fault) refuse(`${field} ${fault}`)
  return trimmed
}

function checkLifetime(seconds: number): void {
  const { minimum, maximum } = resourceServerLimits.tokenLifetime
  if (!Number.isInteger(seconds) || seconds < minimum || seconds > maximum)
    refuse(`token_lifetime must be a whole number from ${minimum} to ${maximum}`)
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
