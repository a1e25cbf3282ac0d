import { subjectFault } from '@gatehouse/kit/certificates/subject'
import { Refusal } from '@gatehouse/kit/errors'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import { isAdminScope } from '@gatehouse/proto/administration'
import type { ClientAuthenticationMethod } from '@gatehouse/proto/client-authentication'
import type { ClientRole, KeySet } from '@gatehouse/proto/client-columns'
import { type ClientField, type ClientFieldName, clientFields } from '@gatehouse/proto/client-metadata'
import { grantTypes, isGrantType } from '@gatehouse/proto/grants'
import { isOrganizationId } from '@gatehouse/proto/organizations'
import { identifierFault } from '@gatehouse/proto/resource-servers'
import { isWebOrigin, longestUrl } from '@gatehouse/proto/web-origins'
import type { HasRole } from '../resource-servers/resource-role.ts'
import { faultOfKeySet, storedKeySet } from './key-set.ts'
import { type RedirectUriRules, redirectUriFault } from './redirect-uri.ts'

/** The rules that depend on the server, and on the writer. */
export type FieldRules = {
  redirectUriRules: RedirectUriRules
  /** The methods of authentication that are on. */
  methods: readonly ClientAuthenticationMethod[]
  /** The scopes that the client may have. */
  scopes: ReadonlySet<string> | 'any'
  /** Whether a resource server has a role. Only administrators give roles to clients, so nobody else needs it. */
  hasRole?: HasRole | undefined
}

/** The redirect URIs of a client are missing or invalid. RFC 7591 section 3.2.2 has a code of its own for that. */
export class RedirectUriRefusal extends Refusal {
  constructor(fault: string) {
    super('invalid_request', fault)
  }
}

/** The supported scopes that a client may register for itself: not those of the administration. */
export function openScopes(supported: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...supported].filter((word) => !isAdminScope(word)))
}

/**
 * Checks the value of a field.
 * @returns the value as it is stored: names without white space around them, and entries of lists once
 * @throws Refusal invalid_request, or invalid_scope, which names the field; RedirectUriRefusal
 */
export function checkField<Value>(name: ClientFieldName, value: Value, rules: FieldRules): Value
export function checkField(name: ClientFieldName, value: unknown, rules: FieldRules): unknown {
  const field: ClientField = clientFields[name]
  const fault = faultOf(name, field, value, rules)
  if (fault !== undefined) {
    const description = `${name}${fault.startsWith('[') ? '' : ' '}${fault}.`
    if (field.kind === 'redirects') throw new RedirectUriRefusal(description)
    throw new Refusal(field.kind === 'scope' ? 'invalid_scope' : 'invalid_request', description)
  }
  switch (field.kind) {
    case 'name':
      return String(value).trim()
    case 'scope':
      return [...new Set(String(value).split(' '))].join(' ')
    case 'redirects':
    case 'grants':
      return [...new Set(value as string[])]
    case 'roles':
      return [...new Map((value as ClientRole[]).map((one) => [roleKey(one), one])).values()]
    case 'keys':
      return storedKeySet(value as KeySet)
    default:
      return value
  }
}

/** The choices that a field has on this server. */
export function choicesOf(
  name: ClientFieldName,
  { choices }: Extract<ClientField, { kind: 'choice' }>,
  methods: readonly string[],
): readonly string[] {
  return name === 'token_endpoint_auth_method' ? methods : choices
}

/**
 * Says what is wrong with a value, as the rest of a sentence that begins with the field's name.
 * @returns undefined when the value is valid
 */
function faultOf(
  name: ClientFieldName,
  field: ClientField,
  value: unknown,
  rules: FieldRules,
): string | undefined {
  switch (field.kind) {
    case 'name':
      return faultOfName(String(value).trim(), field.maxLength)
    case 'scope':
      return faultOfScope(String(value), field.maxLength, rules.scopes)
    case 'grants':
      return (value as string[]).every(isGrantType)
        ? undefined
        : `has an unknown grant; known are ${grantTypes.join(', ')}`
    case 'redirects':
      return faultOfRedirects([...new Set(value as string[])], field.maxItems, rules.redirectUriRules)
    case 'text':
      return faultOfText(value, field.maxLength) ?? faultOfReference(String(value), field)
    case 'texts':
      if (!Array.isArray(value) || value.length > field.maxItems)
        return `must be a list of at most ${field.maxItems} texts`
      return value.map((text) => faultOfText(text, field.maxLength)).find((fault) => fault !== undefined)
    case 'roles':
      return faultOfRoles(value, field.maxItems, rules.hasRole)
    case 'url':
      if (!isWebAddress(value)) return 'must be an http or https URL'
      return field.called && !maySafelyBeCalled(value)
        ? 'must be an https URL without user name, password and fragment; http is only for localhost, 127.0.0.1 and [::1]'
        : undefined
    case 'urls':
      return faultOfUrls(value, field.maxItems, field.origins ? originFault : pageFault)
    case 'keys':
      return faultOfKeySet(value, field.maxItems)
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice': {
      const choices = choicesOf(name, field, rules.methods)
      return choices.some((choice) => choice === value) ? undefined : `must be one of ${choices.join(', ')}`
    }
    case 'integer':
      return Number.isInteger(value) && Number(value) >= field.minimum && Number(value) <= field.maximum
        ? undefined
        : `must be a whole number from ${field.minimum} to ${field.maximum}`
  }
}

function faultOfName(name: string, maxLength: number): string | undefined {
  if (name === '') return 'is empty'
  return [...name].length > maxLength ? `is longer than ${maxLength} characters` : visibleTextFault(name)
}

function faultOfText(text: unknown, maxLength: number): string | undefined {
  if (typeof text !== 'string' || text === '' || [...text].length > maxLength)
    return `must be a text of 1 to ${maxLength} characters`
  return visibleTextFault(text)
}

function faultOfReference(
  text: string,
  { resource, organization, subject }: Extract<ClientField, { kind: 'text' }>,
): string | undefined {
  if (subject) return subjectFault(subject, text)
  if (resource) return identifierFault(text)
  return organization && !isOrganizationId(text)
    ? 'must be the id of an organization, which begins with org_'
    : undefined
}

/** Scope values of these characters with one space between two (RFC 6749 section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/

function faultOfScope(scope: string, maxLength: number, allowed: FieldRules['scopes']): string | undefined {
  if (scope.length > maxLength) return `is longer than ${maxLength} characters`
  const words = 'must be words with one space between two'
  if (allowed === 'any') return scopePattern.test(scope) ? undefined : words
  return scope.split(' ').every((word) => allowed.has(word))
    ? undefined
    : `${words}, out of ${[...allowed].join(', ')}`
}

function faultOfRedirects(
  uris: readonly string[],
  maxItems: number,
  rules: RedirectUriRules,
): string | undefined {
  if (uris.length > maxItems) return `has more than ${maxItems} entries`
  for (const [index, uri] of uris.entries()) {
    const fault = redirectUriFault(uri, rules)
    if (fault) return `[${index}] ${fault}`
  }
  return undefined
}

const roleKey = ({ resource, role }: ClientRole) => JSON.stringify([resource, role])

function faultOfRoles(value: unknown, maxItems: number, hasRole: FieldRules['hasRole']): string | undefined {
  if (!Array.isArray(value) || value.length > maxItems) return `must be a list of at most ${maxItems} roles`
  const wrong = value.findIndex((one) => !isRole(one) || !hasRole?.(one))
  return wrong < 0
    ? undefined
    : `is invalid: entry ${wrong + 1} must have the identifier of a resource server as resource and the name of one of its roles as role, and nothing else`
}

function isRole(value: unknown): value is ClientRole {
  const names = Object.keys(Object(value)).sort()
  return names.length === 2 && names[0] === 'resource' && names[1] === 'role'
}

function faultOfUrls(
  value: unknown,
  maxItems: number,
  urlFault: (url: string) => string | undefined,
): string | undefined {
  if (!Array.isArray(value) || value.length > maxItems) return `must be a list of at most ${maxItems} URLs`
  for (const [index, url] of value.entries()) {
    const fault = typeof url === 'string' ? urlFault(url) : 'is not a text'
    if (fault !== undefined) return `is invalid: entry ${index + 1} ${fault}`
  }
  return undefined
}

const pageFault = (uri: string) => redirectUriFault(uri, { bareSchemes: false })

function originFault(text: string): string | undefined {
  return isWebOrigin(text)
    ? undefined
    : 'must be an http or https origin as browsers send it, such as https://app.example.com'
}

function isWebAddress(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > longestUrl) return false
  return /^https?:\/\/[\x21-\x7e]+$/.test(value) && URL.canParse(value)
}

/** Whether requests to a URL are encrypted or stay on this machine. A fragment would not be sent (RFC 3986 section 3.5). */
function maySafelyBeCalled(address: string): boolean {
  const { protocol, hostname, username, password } = new URL(address)
  if (address.includes('#') || username !== '' || password !== '') return false
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
