import { oneOf, unchecked } from '@gatehouse/http/schemas'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import type { ResourceRole, ResourceServer } from '@gatehouse/proto/clientregistry/v1'
import {
  claimsShapes,
  resourceServerFields as fields,
  resourceServerLimits,
  tokenClaims,
} from '@gatehouse/proto/resource-servers'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { carriedFields } from './administered.ts'
import { moment, momentOf } from './schemas.ts'

/** The label and the description of a field, for its schema. */
export function wordsOf(name: keyof typeof fields) {
  const { label: title, description } = fields[name]
  return { title, description }
}

const scopes = Type.Array(
  Type.Object({
    scope: Type.String(),
    description: Type.String({ description: 'What it allows, for the consent page.' }),
  }),
  {
    ...unchecked({ minItems: 1, maxItems: resourceServerLimits.scopes }),
    ...wordsOf('scopes'),
  },
)

const roleName = Type.String({
  description:
    'By which tokens name it: a word without quotes, backslashes, commas and colons. Two roles must not differ only in upper and lower case.',
  ...unchecked({ minLength: 1, maxLength: resourceServerLimits.role }),
})
const roleDescription = Type.String({
  description: 'The purpose of the role, for administrators.',
  ...unchecked({ maxLength: resourceServerLimits.description }),
})
const roleScopes = Type.Array(Type.String(), {
  description: 'Those of the resource server’s scopes that it gives.',
})
const mayGive = Type.Boolean({ description: 'Whether owners of organizations may give it.' })
const atMostRoles = { ...unchecked({ maxItems: resourceServerLimits.roles }), ...wordsOf('roles') }

/** The roles of a resource server, as administrators send them. */
export const sentRoles = Type.Array(
  Type.Object({
    name: roleName,
    description: Type.Optional(roleDescription),
    scopes: Type.Optional(roleScopes),
    organizations_may_give: Type.Optional(mayGive),
  }),
  atMostRoles,
)

/** Roles as the client registry takes them. */
export function rolesFrom(sent: Static<typeof sentRoles>): ResourceRole[] {
  return sent.map(({ name, description = '', scopes = [], organizations_may_give = false }) => ({
    ...{ name, description, scopes, organizationsMayGive: organizations_may_give },
  }))
}

/** The fields that administrators may set, by the API's names. The client registry validates the values. */
export const resourceServerSettings = {
  name: Type.String(wordsOf('name')),
  scopes,
  token_lifetime: Type.Integer({
    ...resourceServerLimits.tokenLifetime,
    ...wordsOf('token_lifetime'),
  }),
  open_registration: Type.Boolean(wordsOf('open_registration')),
  client_id: Type.String(wordsOf('client_id')),
  scopes_by_role: Type.Boolean(wordsOf('scopes_by_role')),
  token_claims: Type.Array(oneOf(tokenClaims), wordsOf('token_claims')),
  claims_shape: oneOf(claimsShapes, wordsOf('claims_shape')),
}

/** A resource server for the document. */
export const resourceServerExample = {
  resource_id: '<RESOURCE_ID>',
  identifier: 'https://mcp.example.com',
  name: 'Acme tools',
  scopes: [{ scope: 'mcp:tools', description: 'Use its tools' }],
  open_registration: false,
  roles: [
    { name: 'editor', description: 'Uses the tools', scopes: ['mcp:tools'], organizations_may_give: false },
  ],
  scopes_by_role: false,
  token_claims: ['roles'],
  claims_shape: 'flat',
  disabled: false,
  created_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
}

/** A resource server as administrators see it. */
export const resourceServerSchema = Type.Object(
  {
    resource_id: Type.String(),
    identifier: Type.String(wordsOf('identifier')),
    ...resourceServerSettings,
    token_lifetime: Type.Optional(resourceServerSettings.token_lifetime),
    client_id: Type.Optional(resourceServerSettings.client_id),
    roles: Type.Array(
      Type.Object({
        ...{ name: roleName, description: roleDescription, scopes: roleScopes },
        organizations_may_give: mayGive,
      }),
      atMostRoles,
    ),
    disabled: Type.Boolean(),
    ...carriedFields(resourceServers),
    created_at: moment('When the resource server was created.'),
    revision: Type.Integer({ description: 'Increases with every change.' }),
  },
  { title: 'ResourceServer', description: 'The resource server.', examples: [resourceServerExample] },
)

/** A resource server as JSON. @throws Error where the client registry gave none */
export function resourceServerBody(
  resourceServer: ResourceServer | undefined,
): Static<typeof resourceServerSchema> {
  if (resourceServer === undefined) throw new Error('the client registry gave no resource server')
  const { resourceId, identifier, name, scopes, tokenLifetime, clientId } = resourceServer
  return {
    resource_id: resourceId,
    identifier,
    name,
    scopes,
    ...(tokenLifetime !== undefined && { token_lifetime: tokenLifetime }),
    open_registration: resourceServer.openRegistration,
    ...(clientId !== undefined && { client_id: clientId }),
    roles: resourceServer.roles.map(({ organizationsMayGive, ...role }) => ({
      ...{ name: role.name, description: role.description, scopes: role.scopes },
      organizations_may_give: organizationsMayGive,
    })),
    scopes_by_role: resourceServer.scopesByRole,
    token_claims: resourceServer.tokenClaims,
    claims_shape: resourceServer.claimsShape ?? claimsShapes[0],
    disabled: resourceServer.disabled,
    ...resourceServer.columns,
    created_at: momentOf(resourceServer.createdAt),
    revision: Number(resourceServer.revision),
  }
}
