import { isAdminScope } from './administration.ts'
import { userAttributeEntries } from './people/user-attributes.ts'

/** A field of a resource server, as people see it. */
type ResourceServerField = { readonly label: string; readonly description: string }

/**
 * The fields of a resource server that administrators set, by the API's names. The admin API, its pages and the command line
 * take their words from here; the client registry checks the values.
 */
export const resourceServerFields = {
  identifier: {
    label: 'Identifier',
    description:
      'The absolute URI, without a fragment, that clients send as `resource` (RFC 8707) and that tokens have as `aud`. It is compared as an exact text, except that `https://host` and `https://host/` are the same, and cannot be changed.',
  },
  name: { label: 'Name', description: 'What users read when they are asked for consent.' },
  scopes: {
    label: 'Scopes',
    description: 'The scopes that the resource server understands, each with words for the consent page.',
  },
  token_lifetime: {
    label: 'Longest access token lifetime',
    description:
      'The longest time for which access tokens for the resource server are valid, from 60 seconds to 7 days; by default that of the client.',
  },
  open_registration: {
    label: 'Open to registration',
    description: 'Whether clients that register themselves may have its scopes.',
  },
  client_id: {
    label: 'Client id',
    description:
      'The client as which the resource server authenticates at introspection. That client is told only about tokens for its resource servers.',
  },
  roles: {
    label: 'Roles',
    description:
      'The roles that users, groups and clients can have at the resource server, each with the scopes that it gives. Deleting a role, or taking a scope from it, ends the access tokens that were made by it.',
  },
  scopes_by_role: {
    label: 'Scopes by role',
    description:
      'Whether a token has only those scopes that the roles of its user, or of its client where it has no user, give. Without it, scopes do not depend on roles.',
  },
  token_claims: {
    label: 'Claims about users in access tokens',
    description:
      'The claims about its user that an access token for this resource server alone has (RFC 9068 section 2.2.3): `roles`, `groups`, and attributes of users.',
  },
  claims_shape: {
    label: 'Shape of roles and groups',
    description:
      'How access tokens have roles and groups: as lists of texts in `roles` and `groups` (`flat`, the default), or as Keycloak writes them (`keycloak`).',
  },
} as const satisfies Record<string, ResourceServerField>

/** The shapes in which tokens have roles and groups; the first is the default. */
export const claimsShapes = ['flat', 'keycloak'] as const

/** The name of such a shape. */
export type ClaimsShape = (typeof claimsShapes)[number]

/** The claims about users that access tokens for a resource server can have. */
export const tokenClaims: readonly string[] = [
  'roles',
  'groups',
  ...userAttributeEntries.map(([name]) => name),
]

/** The limits of a resource server; the lifetimes are in seconds. */
export const resourceServerLimits = {
  identifier: 2_048,
  name: 200,
  scopes: 50,
  /** In characters. */
  scope: 100,
  description: 200,
  roles: 200,
  /** In characters. */
  role: 100,
  /** The same as for a client. */
  tokenLifetime: { minimum: 60, maximum: 604_800 },
  /** How many there may be in all: the token service keeps them in its memory. */
  servers: 1_000,
} as const

/** The most resources that a request may name. */
export const mostRequestedResources = 10

/** Whether a scope has a meaning on this server, so that no resource server can define it. */
export function isReservedScope(scope: string): boolean {
  return isAdminScope(scope) || scope === 'openid' || scope === 'offline_access'
}

/**
 * Whether a scope has a meaning on a server whose OAUTH2_ORGANIZATIONS_ENABLED is true. A resource server that has it from before keeps it,
 * with the meaning that it has there.
 */
export function isOrganizationScope(scope: string): boolean {
  return scope === 'groups' || scope === 'roles' || scope === 'organization'
}

/**
 * Says why a text cannot be the name of a role. Apps write several roles with commas between them, and a role after its app with a colon.
 * @returns the rest of a sentence that begins with the field's name; undefined for a valid name
 */
export function roleNameFault(name: string): string | undefined {
  const isWord = /^[^\s,:"'\\\p{C}]+$/u.test(name) && [...name].length <= resourceServerLimits.role
  return isWord
    ? undefined
    : `must be a word of 1 to ${resourceServerLimits.role} visible characters without quotes, backslashes, commas and colons`
}

/**
 * The identifiers that mean the same resource server as this one. The path of an http address may be empty or `/` (RFC 3986
 * section 6.2.3): URL parsers of clients add the slash. Every other difference counts.
 */
export function sameIdentifiers(identifier: string): string[] {
  const [, withoutPath] = /^(https?:\/\/[^/?#]+)\/?$/.exec(identifier) ?? []
  return withoutPath === undefined ? [identifier] : [withoutPath, `${withoutPath}/`]
}

/** The scopes of resource servers that a client may register for itself. */
export function openScopesOf(
  resourceServers: readonly {
    scopes: readonly { scope: string }[]
    openRegistration: boolean
    disabled: boolean
  }[],
): string[] {
  const open = resourceServers.filter(({ openRegistration, disabled }) => openRegistration && !disabled)
  return [...new Set(open.flatMap(({ scopes }) => scopes.map(({ scope }) => scope)))]
}

/** The characters of a URI (RFC 3986). */
const uriCharacters = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]+$/

/**
 * Says why a text cannot identify a resource server (RFC 8707 section 2).
 * @returns the rest of a sentence that begins with the parameter's name; undefined for a valid identifier
 */
export function identifierFault(identifier: string): string | undefined {
  const { identifier: longest } = resourceServerLimits
  if (identifier.length > longest) return `must have at most ${longest} characters`
  if (identifier.includes('#')) return 'must not have a fragment'
  const isAbsolute = uriCharacters.test(identifier) && /^[a-z][a-z0-9+.-]*:[^\s]/i.test(identifier)
  return isAbsolute && URL.canParse(identifier) ? undefined : 'must be an absolute URI'
}
