import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { isAdminScope } from '@gatehouse/proto/administration'
import { enabledAuthenticationMethods, isPublicMethod } from '@gatehouse/proto/client-authentication'
import { grantsWhere, grantTypes, isGrantType } from '@gatehouse/proto/grants'
import { type RedirectUriRules, redirectUriFault } from './redirect-uri.ts'

/** In characters. */
export const longestScope = 1_000
const most = { redirectUris: 20, clientName: 200 }

/** Scope values of these characters with one space between two (RFC 6749 section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Which scopes a client may have: those of a server, or any. */
export type AllowedScopes = ReadonlySet<string> | 'any'

/** The supported scopes that a client may register for itself: not those of the administration. */
export function openScopes(supported: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...supported].filter((word) => !isAdminScope(word)))
}

/**
 * Checks the grants of a client.
 * @returns the grants, each once
 * @throws Refusal invalid_request
 */
export function checkGrantTypes(requested: readonly string[]): string[] {
  for (const grant of requested) {
    if (!isGrantType(grant)) refuse(`grant_types has an unknown grant; known are ${grantTypes.join(', ')}`)
  }
  return [...new Set(requested)]
}

/** The redirect URIs of a client are missing or invalid. RFC 7591 section 3.2.2 has a code of its own for that. */
export class RedirectUriRefusal extends Refusal {
  constructor(fault: string) {
    super('invalid_request', `${fault}.`)
  }
}

/**
 * Checks redirect URIs.
 * @returns the URIs, each once
 * @throws RedirectUriRefusal
 */
export function checkRedirectUris(requested: readonly string[], rules: RedirectUriRules): string[] {
  const uris = [...new Set(requested)]
  if (uris.length > most.redirectUris)
    throw new RedirectUriRefusal(`redirect_uris has more than ${most.redirectUris} entries`)
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri, rules)
    if (fault) throw new RedirectUriRefusal(`redirect_uris[${index}] ${fault}`)
  }
  return uris
}

/**
 * Checks that a client whose grants need redirect URIs has some.
 * @throws Refusal invalid_request
 */
export function checkRedirectUrisOfGrants(uris: readonly string[], grants: readonly string[]): void {
  const redirecting = grantsWhere(({ redirects }) => redirects).find((grant) => grants.includes(grant))
  if (uris.length === 0 && redirecting)
    throw new RedirectUriRefusal(`redirect_uris is required for the grant ${redirecting}`)
}

/**
 * Checks a client's authentication method.
 * @param publicClients whether clients without a secret are allowed
 * @throws Refusal invalid_request
 */
export function checkAuthMethod(method: string, publicClients: boolean): void {
  const methods: readonly string[] = enabledAuthenticationMethods(publicClients)
  if (!methods.includes(method)) refuse(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
}

/**
 * Checks that a client without a secret has no grant that needs one.
 * @throws Refusal invalid_request
 */
export function checkGrantsOfMethod(grants: readonly string[], method: string): void {
  const impossible = grantsWhere(({ confidential }) => confidential).find((grant) => grants.includes(grant))
  if (isPublicMethod(method) && impossible) {
    refuse(`grant_types has ${impossible}, which needs a client with a secret`)
  }
}

/**
 * Checks a scope.
 * @returns its values, each once
 * @throws Refusal invalid_scope
 */
export function checkScope(scope: string, allowed: AllowedScopes): string {
  if (scope.length > longestScope) {
    throw new Refusal('invalid_scope', `scope is longer than ${longestScope} characters.`)
  }
  const words = scope.split(' ')
  if (allowed === 'any') {
    if (!scopePattern.test(scope))
      throw new Refusal('invalid_scope', 'scope must be words with one space between two.')
  } else if (!words.every((word) => allowed.has(word))) {
    const known = [...allowed].join(', ')
    throw new Refusal('invalid_scope', `scope must be words with one space between two, out of ${known}.`)
  }
  return [...new Set(words)].join(' ')
}

/**
 * Checks a client's name.
 * @returns the name without white space around it
 * @throws Refusal invalid_request
 */
export function checkClientName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') refuse('client_name is empty')
  if ([...trimmed].length > most.clientName)
    refuse(`client_name is longer than ${most.clientName} characters`)
  const fault = visibleTextFault(trimmed)
  if (fault) refuse(`client_name ${fault}`)
  return trimmed
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
