import type { App } from '@gatehouse/http/app'
import { Refusal } from '@gatehouse/kit/errors'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import { resourceServerFields as fields, resourceServerLimits } from '@gatehouse/proto/resource-servers'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { known } from '../reach.ts'
import {
  resourceServerBody,
  resourceServerExample,
  resourceServerSchema,
  rolesFrom,
  sentRoles,
  resourceServerSettings as settings,
  wordsOf,
} from '../resource-server-body.ts'
import { done, revisionOf } from '../schemas.ts'
import { forgetRoles } from './groups/released-forgetting.ts'

const roleSettings = {
  roles: Type.Optional(sentRoles),
  scopes_by_role: Type.Optional(settings.scopes_by_role),
  token_claims: Type.Optional(settings.token_claims),
  claims_shape: Type.Optional(settings.claims_shape),
}

/** /admin/api/resources. */
export function resourceRoutes(app: App, { clientRegistry, identity }: AdminDeps): void {
  administeredList(app, resourceServers, {
    operationId: 'listResourceServers',
    item: resourceServerSchema,
    example: resourceServerExample,
    find: clientRegistry.listResourceServers,
    items: ({ resourceServers }) => resourceServers.map(resourceServerBody),
  })

  operationRoute(app, {
    route: 'POST /resources',
    operationId: 'createResourceServer',
    summary: 'Create a resource server',
    body: Type.Object(
      {
        identifier: Type.String(wordsOf('identifier')),
        name: Type.Optional(
          Type.String({
            description: `${fields.name.description} By default the host of the identifier.`,
          }),
        ),
        scopes: settings.scopes,
        token_lifetime: Type.Optional(settings.token_lifetime),
        open_registration: Type.Optional(settings.open_registration),
        client_id: Type.Optional(settings.client_id),
        ...roleSettings,
      },
      {
        title: 'ResourceServerToCreate',
        examples: [
          {
            identifier: 'https://mcp.example.com',
            name: 'Acme tools',
            scopes: [{ scope: 'mcp:tools', description: 'Use its tools' }],
          },
        ],
      },
    ),
    answer: { 201: resourceServerSchema },
    async perform({ body, actor }) {
      const { identifier, name, scopes, client_id: clientId, ...others } = body
      const { resourceServer } = await clientRegistry.createResourceServer({
        identifier,
        name,
        scopes,
        clientId: clientId || undefined,
        tokenLifetime: others.token_lifetime,
        openRegistration: others.open_registration ?? false,
        roles: rolesFrom(others.roles ?? []),
        scopesByRole: others.scopes_by_role ?? false,
        tokenClaims: others.token_claims ?? [],
        claimsShape: others.claims_shape,
        actor,
      })
      return resourceServerBody(resourceServer)
    },
  })

  operationRoute(app, {
    route: 'GET /resources/:resource_id',
    operationId: 'getResourceServer',
    summary: 'Get a resource server',
    answer: { 200: resourceServerSchema },
    refusals: ['not_found'],
    async perform({ params }) {
      const { resource_id: resourceId } = params
      return resourceServerBody((await clientRegistry.getResourceServer({ resourceId })).resourceServer)
    },
  })

  operationRoute(app, {
    route: 'PATCH /resources/:resource_id',
    operationId: 'updateResourceServer',
    summary: 'Update a resource server',
    description:
      'Absent fields stay unchanged. Disabling a resource server, or taking a scope away, revokes the codes and tokens that were granted for it. Deleting a role, taking a scope from one, or setting `scopes_by_role` ends the access tokens that its older roles gave; refresh tokens go on with what is left. Nobody has a deleted role any more, also if one of its name is made later. A scope that is taken from the resource server is taken from its roles, too, unless `roles` is sent along.',
    body: Type.Object(
      {
        name: Type.Optional(settings.name),
        scopes: Type.Optional(settings.scopes),
        token_lifetime: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: resourceServerLimits.tokenLifetime.maximum,
            description: `${fields.token_lifetime.description} 0 removes it.`,
          }),
        ),
        open_registration: Type.Optional(settings.open_registration),
        client_id: Type.Optional(
          Type.String({ description: `${fields.client_id.description} An empty text removes it.` }),
        ),
        ...roleSettings,
        disabled: Type.Optional(
          Type.Boolean({ description: 'No client gets tokens for a disabled resource server.' }),
        ),
        revision: revisionOf('the resource server'),
      },
      { title: 'ResourceServerChange', examples: [{ name: 'Acme tools', disabled: true, revision: 1 }] },
    ),
    answer: { 200: resourceServerSchema },
    refusals: ['outdated_revision', 'not_found'],
    async perform({ params, body, actor }) {
      const { resourceServer } = await clientRegistry.updateResourceServer({
        resourceId: params.resource_id,
        revision: BigInt(body.revision ?? 0),
        name: body.name,
        scopes: body.scopes && { items: body.scopes },
        tokenLifetime: body.token_lifetime,
        openRegistration: body.open_registration,
        clientId: body.client_id,
        roles: body.roles && { items: rolesFrom(body.roles) },
        scopesByRole: body.scopes_by_role,
        tokenClaims: body.token_claims && { items: body.token_claims },
        claimsShape: body.claims_shape,
        disabled: body.disabled,
        actor,
      })
      if (body.roles) {
        const kept = resourceServer?.roles.map(({ name }) => name) ?? []
        await forgetRoles(params.resource_id, kept, identity)
      }
      return resourceServerBody(resourceServer)
    },
  })

  operationRoute(app, {
    route: 'DELETE /resources/:resource_id',
    operationId: 'deleteResourceServer',
    summary: 'Delete a resource server',
    description:
      'The codes and tokens that were granted for it are revoked, and nobody has its roles any more.',
    answer: done('The resource server is deleted.'),
    refusals: ['not_found'],
    async perform({ params, actor }) {
      const { resource_id: resourceId } = params
      const deleted = await known(() => clientRegistry.deleteResourceServer({ resourceId, actor }))
      // Also for one that is gone: an earlier request may have been cut off here.
      await forgetRoles(resourceId, [], identity)
      if (deleted === undefined) throw new Refusal('not_found', 'There is no such resource server.')
    },
  })
}
