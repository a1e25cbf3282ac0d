import { Refusal } from '@gatehouse/kit/errors'
import { redirectUriFault } from './redirect-uri.ts'

/** The grants that a client may register; two of them wait until they are switched on. */
const grantTypes = new Set(['authorization_code', 'client_credentials', 'refresh_token', 'password'])
/** What a client does who has no secret (RFC 7591 section 2). */
export const publicMethod = 'none'
const confidentialMethods = ['client_secret_basic', 'client_secret_post']
/** What a client can only do with a secret (RFC 6749 section 4.4, and decided so for the password grant). */
const confidentialGrants = ['client_credentials', 'password']
const most = { redirectUris: 20, clientName: 200, scope: 1_000 }

/** RFC 6749 section 3.3: words of these characters with one space between two. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** The scope with which tokens administer this server. Administrators alone give it to a client. */
const administration = 'admin'

/** Which scopes a client may have: those of a server, or any. */
export type AllowedScopes = ReadonlySet<string> | 'any'

/** The scopes that whoever registers himself may have, out of those that the server knows. */
export function openScopes(supported: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...supported].filter((word) => word !== administration))
}

/**
 * Checks the grants of a client.
 * @returns each once
 * @throws Refusal invalid_request
 */
export function checkGrantTypes(requested: readonly string[]): string[] {
  for (const grant of requested) {
    if (!grantTypes.has(grant))
      refuse(`grant_types has an unknown grant; known are ${[...grantTypes].join(', ')}`)
  }
  return [...new Set(requested)]
}

/**
 * Checks redirect URIs, and that there are some where the grants need them.
 * @returns each once
 * @throws Refusal invalid_request
 */
export function checkRedirectUris(requested: readonly string[], grants: readonly string[]): string[] {
  const uris = [...new Set(requested)]
  if (uris.length === 0 && grants.includes('authorization_code')) {
    refuse('redirect_uris is required for the grant authorization_code')
  }
  if (uris.length > most.redirectUris) refuse(`redirect_uris has more than ${most.redirectUris} entries`)
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri)
    if (fault) refuse(`redirect_uris[${index}] ${fault}`)
  }
  return uris
}

/**
 * Checks how a client authenticates.
 * @param publicClients whether it may do without a secret
 * @throws Refusal invalid_request
 */
export function checkAuthMethod(method: string, publicClients: boolean): void {
  const methods = publicClients ? [...confidentialMethods, publicMethod] : confidentialMethods
  if (!methods.includes(method)) refuse(`token_endpoint_auth_method must be one of ${methods.join(', ')}`)
}

/**
 * Checks that a client without a secret has no grant that needs one.
 * @throws Refusal invalid_request
 */
export function checkGrantsOfMethod(grants: readonly string[], method: string): void {
  const impossible = grants.find((grant) => confidentialGrants.includes(grant))
  if (method === publicMethod && impossible) {
    refuse(`grant_types has ${impossible}, which needs a client with a secret`)
  }
}

/**
 * Checks a scope.
 * @returns its words, each once
 * @throws Refusal invalid_scope
 */
export function checkScope(scope: string, allowed: AllowedScopes): string {
  if (scope.length > most.scope) {
    throw new Refusal('invalid_scope', `scope is longer than ${most.scope} characters.`)
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
 * @returns it without white space around it
 * @throws Refusal invalid_request
 */
export function checkClientName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '') refuse('client_name is empty')
  if (trimmed.length > most.clientName) refuse(`client_name is longer than ${most.clientName} characters`)
  // The name stands on the consent page: it may neither turn the text around it (bidi controls) nor break the line.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(trimmed)) refuse('client_name has a control character')
  return trimmed
}

function refuse(description: string): never {
  throw new Refusal('invalid_request', `${description}.`)
}
