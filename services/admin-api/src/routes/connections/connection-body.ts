import { oneOf, unchecked } from '@gatehouse/http/schemas'
import { connections } from '@gatehouse/proto/administered/connections'
import type { Connection } from '@gatehouse/proto/connection/v1'
import {
  connectionKinds,
  connectionLimits as limits,
  newUsersRules,
  upstreamAuthentications,
  connectionFields as words,
} from '@gatehouse/proto/connections'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from '../../administered.ts'
import { moment, momentOf } from '../../schemas.ts'
import { mappingBody, mappingSchema } from './mapping.ts'

/** The label and the description of a field, for its schema. */
const wordsOf = (field: keyof typeof words) => ({
  title: words[field].label,
  description: words[field].description,
})

/** The same with the meaning of each of its values. */
const meaningsOf = (
  field: keyof typeof words,
  values: Readonly<Record<string, { title: string; description?: string }>>,
) => {
  const meanings = Object.entries(values).map(([value, { title, description }]) =>
    description === undefined ? `\`${value}\`: ${title}.` : `\`${value}\`: ${description}`,
  )
  return {
    title: words[field].label,
    description: [words[field].description, ...meanings].join(' '),
  }
}

const acrValues = { ...unchecked({ maxLength: limits.acrValues }), ...wordsOf('acr_values') }
const texts = (field: 'tenants' | 'domains') =>
  Type.Array(Type.String(), { ...unchecked({ maxItems: limits[field] }), ...wordsOf(field) })

/** The fields that a connection keeps as it was created with. */
const fixed = {
  kind: oneOf(Object.keys(connectionKinds), meaningsOf('kind', connectionKinds)),
  organization: Type.Optional(Type.String(wordsOf('organization'))),
}

/** The fields that administrators may set, by the API's names. The identity service validates the values. */
const settings = {
  name: Type.String({ ...unchecked({ minLength: 1, maxLength: limits.name }), ...wordsOf('name') }),
  issuer: Type.String({ ...unchecked({ maxLength: limits.issuer }), ...wordsOf('issuer') }),
  client_id: Type.String({ ...unchecked({ maxLength: limits.clientId }), ...wordsOf('client_id') }),
  client_authentication: oneOf(
    Object.keys(upstreamAuthentications),
    meaningsOf('client_authentication', upstreamAuthentications),
  ),
  scope: Type.String({ ...unchecked({ maxLength: limits.scope }), ...wordsOf('scope') }),
  acr_values: Type.String(acrValues),
  tenants: texts('tenants'),
  trusts_second_factor: Type.Boolean(wordsOf('trusts_second_factor')),
  new_users: oneOf(Object.keys(newUsersRules), meaningsOf('new_users', newUsersRules)),
  mapping: mappingSchema(wordsOf('mapping')),
  domains: texts('domains'),
  on_login_page: Type.Boolean(wordsOf('on_login_page')),
}

const others = {
  client_secret: Type.Optional(
    Type.String({ ...unchecked({ maxLength: limits.clientSecret }), ...wordsOf('client_secret') }),
  ),
  disabled: Type.Optional(Type.Boolean(wordsOf('disabled'))),
}

/** The fields that a new connection may have. What is absent has the value that the kind gives it. */
export const createdSettings = {
  ...fixed,
  ...Type.Partial(Type.Object(settings)).properties,
  name: settings.name,
  client_id: settings.client_id,
  ...others,
}

/** The fields that a change may have. Null removes the required acr values. */
export const changedSettings = {
  ...Type.Partial(Type.Object(settings)).properties,
  acr_values: Type.Optional(Type.Unsafe<string | null>({ ...acrValues, type: ['string', 'null'] })),
  ...others,
}

/** A connection for the document. */
export const connectionExample = {
  connection_id: '<CONNECTION_ID>',
  kind: 'oidc',
  organization: '<ORGANIZATION_ID>',
  name: 'Acme',
  issuer: 'https://login.acme.example',
  client_id: 'gatehouse',
  client_authentication: 'client_secret',
  has_client_secret: true,
  scope: 'openid email profile',
  tenants: [],
  trusts_second_factor: false,
  new_users: 'verified_domain',
  mapping: [{ claim: 'groups', value: 'developers', to: { group: 'Developers' } }],
  domains: ['acme.example'],
  on_login_page: true,
  disabled: false,
  created_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
  redirect_uri: 'https://auth.example.com/auth/callback/<CONNECTION_ID>',
  backchannel_logout_uri: 'https://auth.example.com/auth/connections/<CONNECTION_ID>/backchannel-logout',
}

const addresses = {
  redirect_uri: Type.String({ description: 'The redirect URI to register at the provider.' }),
  backchannel_logout_uri: Type.Optional(
    Type.String({
      description:
        'Where the provider says that somebody logged out there (OpenID Connect Back-Channel Logout 1.0), to register at the provider; absent for any other kind than `oidc`.',
    }),
  ),
  jwks_uri: Type.Optional(
    Type.String({
      description:
        'Where the provider reads the public key of the connection; absent without `private_key_jwt`.',
    }),
  ),
}

/** A connection as administrators see it. */
export const connectionSchema = Type.Object(
  {
    connection_id: Type.String({ description: 'Its id, which never changes and is never used again.' }),
    ...fixed,
    ...settings,
    issuer: Type.Optional(settings.issuer),
    acr_values: Type.Optional(settings.acr_values),
    has_client_secret: Type.Boolean({
      description: 'Whether a client secret is stored. The secret itself is never told.',
    }),
    disabled: Type.Boolean(wordsOf('disabled')),
    disabled_at: Type.Optional(moment('When the connection was disabled.')),
    ...carriedFields(connections),
    created_at: moment('When the connection was created.'),
    revision: Type.Integer({ description: 'Increases with every change.' }),
    ...addresses,
    links: Type.Optional(Type.Integer({ description: 'How many links of users it has; absent in a list.' })),
    orphaned_links: Type.Optional(
      Type.Integer({
        description:
          'How many of them lead to nobody, because the connection has another issuer now; absent in a list.',
      }),
    ),
  },
  { title: 'Connection', description: 'The connection.', examples: [connectionExample] },
)

/**
 * A connection as JSON.
 * @param issuer the public address of this server
 * @throws Error where the identity service gave none
 */
export function connectionBody(
  connection: Connection | undefined,
  issuer: string,
): Static<typeof connectionSchema> {
  if (connection === undefined) throw new Error('the identity service gave no connection')
  const { connectionId, organizationId, acrValues, disabledAt, links, orphanedLinks } = connection
  const own = `${issuer}/auth/connections/${connectionId}`
  return {
    ...{ connection_id: connectionId, kind: connection.kind, name: connection.name },
    ...(organizationId !== undefined && { organization: organizationId }),
    ...(connection.issuer !== undefined && { issuer: connection.issuer }),
    client_id: connection.clientId,
    client_authentication: connection.clientAuthentication,
    has_client_secret: connection.hasClientSecret,
    scope: connection.scope,
    ...(acrValues !== undefined && { acr_values: acrValues }),
    tenants: connection.tenants,
    trusts_second_factor: connection.trustsSecondFactor,
    new_users: connection.newUsers,
    mapping: mappingBody(connection.mapping),
    domains: connection.domains,
    on_login_page: connection.onLoginPage,
    disabled: disabledAt !== undefined,
    ...(disabledAt && { disabled_at: momentOf(disabledAt) }),
    ...connection.columns,
    created_at: momentOf(connection.createdAt),
    revision: Number(connection.revision),
    redirect_uri: `${issuer}${connection.callbackPath}`,
    ...(connection.kind === 'oidc' && { backchannel_logout_uri: `${own}/backchannel-logout` }),
    ...(connection.clientAuthentication === 'private_key_jwt' && { jwks_uri: `${own}/jwks` }),
    ...(links !== undefined && { links: Number(links) }),
    ...(orphanedLinks !== undefined && { orphaned_links: Number(orphanedLinks) }),
  }
}
