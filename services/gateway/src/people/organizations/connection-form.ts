import type { Connection } from '@gatehouse/proto/connection/v1'
import { type ConnectionKind, connectionKinds, newUsersRules } from '@gatehouse/proto/connections'
import type { Domain } from '@gatehouse/proto/organization/v1'
import type { ConnectionForm, ConnectionValues, FieldOfKind } from '../pages/contents/connection-contents.ts'
import type { Texts } from '../texts/table.ts'
import { isHeld, stateNameOf } from './domain-state.ts'

/** The names of the fields that a form sends as texts. The domains and the choices are not among them. */
export const textFields = [
  ...['name', 'issuer', 'client_id', 'client_authentication', 'client_secret'],
  ...['scope', 'acr_values', 'tenants', 'new_users', 'trusts_second_factor', 'on_login_page'],
] as const

/** The beginning of the names of the check boxes with domains. */
const domainBox = 'domain:'

/** The fields that each kind has besides those that all have. */
const fieldsOfKind: Record<ConnectionKind, readonly FieldOfKind[]> = {
  oidc: ['issuer', 'client_authentication', 'scope', 'acr_values'],
  google: ['acr_values'],
  microsoft: ['tenants', 'acr_values'],
  github: [],
}

/** The kind that a text names; undefined if none. */
export function kindIn(text: string | undefined): ConnectionKind | undefined {
  return text !== undefined && Object.hasOwn(connectionKinds, text) ? (text as ConnectionKind) : undefined
}

/** The values in the form for a new connection. */
export function newValues(kind: ConnectionKind): ConnectionValues {
  return {
    ...{ kind, issuer: '', client_id: '', client_authentication: 'client_secret', acr_values: '' },
    name: kind === 'oidc' ? '' : connectionKinds[kind].title,
    scope: kind === 'oidc' ? 'openid email profile' : '',
    ...{ tenants: '', new_users: 'verified_domain', domains: [] },
    ...{ trusts_second_factor: false, on_login_page: true },
  }
}

/** The values of a connection that there is. */
export function valuesOf(connection: Connection): ConnectionValues {
  return {
    kind: kindIn(connection.kind) ?? 'oidc',
    name: connection.name,
    issuer: connection.issuer ?? '',
    client_id: connection.clientId,
    client_authentication: connection.clientAuthentication,
    scope: connection.scope,
    acr_values: connection.acrValues ?? '',
    tenants: connection.tenants.join('\n'),
    new_users: connection.newUsers,
    domains: connection.domains,
    trusts_second_factor: connection.trustsSecondFactor,
    on_login_page: connection.onLoginPage,
  }
}

/** Reads a form that was sent. */
export function valuesIn(body: Readonly<Record<string, string>>, kind: ConnectionKind): ConnectionValues {
  const text = (name: string) => (body[name] ?? '').trim()
  return {
    kind,
    ...{ name: text('name'), issuer: text('issuer'), client_id: text('client_id') },
    client_authentication: text('client_authentication') || 'client_secret',
    ...{ scope: text('scope'), acr_values: text('acr_values') },
    ...{ tenants: text('tenants'), new_users: text('new_users') },
    domains: Object.keys(body)
      .filter((name) => name.startsWith(domainBox) && body[name] === 'yes')
      .map((name) => name.slice(domainBox.length)),
    trusts_second_factor: body.trusts_second_factor === 'yes',
    on_login_page: body.on_login_page === 'yes',
  }
}

/** The connection that the values make, and the names of its fields that they set. */
export function connectionOf(
  values: ConnectionValues,
  organizationId: string,
): { connection: Connection; fields: string[] } {
  const { kind } = values
  const has = fieldsOfKind[kind]
  return {
    connection: {
      ...{ connectionId: '', organizationId, kind, name: values.name, clientId: values.client_id },
      issuer: has.includes('issuer') ? values.issuer : undefined,
      clientAuthentication: values.client_authentication,
      ...{ hasClientSecret: false, clientPublicKey: undefined, scope: values.scope },
      acrValues: values.acr_values || undefined,
      tenants: has.includes('tenants') ? values.tenants.split(/[\s,]+/).filter((text) => text !== '') : [],
      trustsSecondFactor: values.trusts_second_factor,
      ...{ newUsers: values.new_users, mapping: [], domains: [...values.domains] },
      onLoginPage: values.on_login_page,
      ...{ createdAt: undefined, disabledAt: undefined, revision: 0n, callbackPath: '', columns: undefined },
    },
    fields: [
      ...has,
      ...['name', 'client_id', 'trusts_second_factor', 'new_users', 'domains', 'on_login_page'],
    ],
  }
}

/**
 * A form for a connection.
 * @param domains those of the organization
 * @param isNew whether there is no such connection yet
 * @param secretTyped whether it was sent with a secret, and refused
 */
export function formOf(
  values: ConnectionValues,
  domains: readonly Domain[],
  { texts, isNew, secretTyped = false }: { texts: Texts; isNew: boolean; secretTyped?: boolean | undefined },
): ConnectionForm {
  const { newUsers } = texts.organizationConnections
  const foreign = values.domains.filter((name) => !domains.some(({ domain }) => domain === name))
  return {
    isNew,
    secretGone: secretTyped,
    values,
    has: fieldsOfKind[values.kind],
    newUsers: Object.keys(newUsersRules)
      .filter((rule) => rule !== 'always')
      .map((rule) => ({ rule, text: newUsers[rule as keyof typeof newUsers] })),
    domains: [
      ...domains.map(({ domain, state }) => ({
        ...{ domain, box: domainBox + domain, chosen: values.domains.includes(domain) },
        isProven: isHeld(state),
        remark: texts.organizationDomains.states[stateNameOf(state)],
      })),
      ...foreign.map((domain) => ({
        ...{ domain, box: domainBox + domain, chosen: true, isProven: false },
        remark: texts.organizationConnections.foreignDomain,
      })),
    ],
  }
}
