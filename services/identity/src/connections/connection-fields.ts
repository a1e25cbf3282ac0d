import { Refusal } from '@gatehouse/kit/errors'
import { type AddressRule, urlFault } from '@gatehouse/kit/fetch/address-rule'
import { isUuid } from '@gatehouse/kit/formats'
import { visibleTextFault } from '@gatehouse/kit/people/visible-text'
import {
  type ConnectionKind,
  connectionKinds,
  connectionLimits as limits,
  type NewUsersRule,
  newUsersRules,
  type UpstreamAuthentication,
  upstreamAuthentications,
} from '@gatehouse/proto/connections'
import { hasLength } from '../basics/text.ts'
import type { InOrganization } from '../organizations/acting.ts'
import { readDomain } from '../organizations/domain-name.ts'
import type { ConnectionSettings } from './connection.ts'
import { checkRules, type FindMappableRoles } from './mapping-rule.ts'

/** Settings as they were sent. An empty text is none, or the default. */
export type SentConnection = {
  [Field in keyof ConnectionSettings]: ConnectionSettings[Field] extends readonly (infer Item)[]
    ? readonly Item[]
    : ConnectionSettings[Field] extends boolean
      ? boolean
      : string
}

/** The part of a connection that stays as it is, and on which its rules depend. */
export type ConnectionPlace = { kind: ConnectionKind; organizationId: InOrganization }

/** A connection that is changed, or the place of a new one. */
type Before = ConnectionPlace & Partial<Pick<ConnectionSettings, 'mapping'>>

/** The needs of checking what people set. */
export type FieldDeps = {
  /** Which addresses requests may go to. */
  rule: AddressRule
  findRoles: FindMappableRoles
}

/** Reads the kind of a new connection. @throws Refusal invalid_request */
export function readKind(text: string): ConnectionKind {
  return oneOf('kind', connectionKinds, text)
}

/**
 * Checks what people set. Of what is absent, nothing is checked, nor of the rules that the connection has.
 * @returns the settings as they are stored
 * @throws Refusal invalid_request, which names the field; the errors of the client registry
 */
export async function checkSettings(
  sent: Partial<SentConnection>,
  place: Before,
  deps: FieldDeps,
): Promise<Partial<ConnectionSettings>> {
  const { mapping, ...others } = sent
  const checked = Object.entries(others).map(([field, value]) => {
    const check = checks[field as keyof typeof checks] as Check<never>
    return [field, check(value as never, place, deps)]
  })
  return {
    ...Object.fromEntries(checked),
    ...(mapping !== undefined && {
      mapping: await checkRules(mapping, place.organizationId, deps.findRoles, place.mapping ?? []),
    }),
  }
}

type Check<Value> = (value: Value, place: ConnectionPlace, deps: FieldDeps) => unknown

const checks: { [Field in Exclude<keyof SentConnection, 'mapping'>]: Check<SentConnection[Field]> } = {
  name(text) {
    const name = text.trim()
    if (!hasLength(name, 1, limits.name)) throw invalid('name', `must have 1 to ${limits.name} characters`)
    const fault = visibleTextFault(name)
    if (fault !== undefined) throw invalid('name', fault)
    return name
  },
  issuer: (text, place, { rule }) => readIssuer(text, place, rule),
  clientId(text) {
    const id = text.trim()
    if (!hasLength(id, 1, limits.clientId) || !/^[\x20-\x7e]+$/.test(id))
      throw invalid('client_id', `must have 1 to ${limits.clientId} characters of ASCII`)
    return id
  },
  clientAuthentication(text, { kind }): UpstreamAuthentication {
    const way = oneOf('client_authentication', upstreamAuthentications, text || 'client_secret')
    if (way !== 'client_secret' && kind !== 'oidc')
      throw invalid('client_authentication', `must be client_secret for ${connectionKinds[kind].title}`)
    return way
  },
  scope(text) {
    const scopes = tokensIn('scope', text || 'openid email profile', limits.scope)
    return [...new Set(['openid', ...scopes])].join(' ')
  },
  acrValues(text, { kind }) {
    const values = tokensIn('acr_values', text, limits.acrValues)
    if (values.length === 0) return undefined
    if (kind === 'github') throw invalid('acr_values', 'must be empty for GitHub, which says no acr')
    return [...new Set(values)].join(' ')
  },
  tenants(list, { kind, organizationId }) {
    const tenants = [...new Set(list.map((tenant) => tenant.trim().toLowerCase()))]
    if (kind !== 'microsoft') {
      if (tenants.length > 0) throw invalid('tenants', 'must be empty for any other kind than microsoft')
      return []
    }
    if (tenants.length > limits.tenants) throw invalid('tenants', `must be at most ${limits.tenants}`)
    if (!tenants.every(isUuid)) throw invalid('tenants', 'must be ids of tenants, which are UUIDs')
    if (organizationId !== undefined && tenants.length === 0)
      throw invalid('tenants', 'must name a tenant at least: Microsoft serves those of everybody')
    return tenants
  },
  trustsSecondFactor: (trusts) => trusts,
  newUsers(text, { organizationId }): NewUsersRule {
    const rule = oneOf('new_users', newUsersRules, text || (organizationId ? 'verified_domain' : 'never'))
    if (rule === 'verified_domain' && organizationId === undefined)
      throw invalid('new_users', 'must be never or always: only organizations have domains')
    if (rule === 'always' && organizationId !== undefined)
      throw invalid('new_users', 'must be never or verified_domain for a connection of an organization')
    return rule
  },
  domains(list) {
    if (list.length > limits.domains) throw invalid('domains', `must be at most ${limits.domains}`)
    return [...new Set(list.map(readListed))]
  },
  onLoginPage: (shown) => shown,
}

/** @throws Refusal invalid_request */
function readListed(text: string): string {
  try {
    return readDomain(text)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new Refusal('invalid_request', error.description.replace(/^domain must/, 'Each of domains must'))
  }
}

/** The issuer of a connection; undefined for a kind that has one of its own. @throws Refusal invalid_request */
function readIssuer(text: string, { kind }: ConnectionPlace, rule: AddressRule): string | undefined {
  const issuer = text.trim()
  if (connectionKinds[kind].ownIssuer) {
    if (issuer !== '') throw invalid('issuer', `must be absent for ${connectionKinds[kind].title}`)
    return undefined
  }
  if (!hasLength(issuer, 1, limits.issuer) || !/^[\x21-\x7e]+$/.test(issuer) || issuer.includes('{'))
    throw invalid('issuer', `must be the address of one issuer, of 1 to ${limits.issuer} characters`)
  const url = URL.parse(issuer)
  // OpenID Connect Discovery 1.0 section 3. An address of the metadata themselves would not be compared with what they say.
  if (url === null || /[?#]/.test(issuer) || url.username !== '' || url.password !== '')
    throw invalid('issuer', 'must be a URL without user name, query and fragment')
  if (issuer.includes('/.well-known/'))
    throw invalid('issuer', 'must be the issuer itself and not the address of its metadata')
  const fault = urlFault(url, rule)
  if (fault === 'not https') throw invalid('issuer', `must begin with https://${networks}`)
  if (fault === 'not public') throw invalid('issuer', `must not be at a private address${networks}`)
  return issuer
}

const networks = '; OAUTH2_FETCH_ALLOWED_NETWORKS names networks where others are allowed'

/** RFC 6749 section 3.3; acr values are written alike. */
function tokensIn(field: string, text: string, most: number): string[] {
  const tokens = text.split(' ').filter((token) => token !== '')
  if (text.length > most || !tokens.every((token) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(token)))
    throw invalid(field, `must be texts of ASCII with spaces between them, of at most ${most} characters`)
  return tokens
}

function oneOf<Name extends string>(
  field: string,
  table: Readonly<Record<Name, unknown>>,
  text: string,
): Name {
  if (!Object.hasOwn(table, text)) throw invalid(field, `must be one of ${Object.keys(table).join(', ')}`)
  return text as Name
}

/** The refusal for a field. */
export function invalid(field: string, fault: string): Refusal {
  return new Refusal('invalid_request', `${field} ${fault}.`)
}
