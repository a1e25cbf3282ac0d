import type { App } from '@gatehouse/http/app'
import { resourceServers } from '@gatehouse/proto/administered/resource-servers'
import { resourceServerFields as fields, resourceServerLimits } from '@gatehouse/proto/resource-servers'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import {
  resourceServerBody,
  resourceServerExample,
  resourceServerSchema,
  resourceServerSettings as settings,
  wordsOf,
} from '../resource-server-body.ts'
import { adminAnswers, done } from '../schemas.ts'

const params = Type.Object({ resource_id: Type.String() })

/** /admin/api/resources. */
export function resourceRoutes(app: App, deps: AdminDeps): void {
  listResourceServers(app, deps)
  createResourceServer(app, deps)
  getResourceServer(app, deps)
  updateResourceServer(app, deps)
  deleteResourceServer(app, deps)
}

function listResourceServers(app: App, { clientRegistry }: AdminDeps): void {
  administeredList(app, resourceServers, {
    operationId: 'listResourceServers',
    item: resourceServerSchema,
    example: resourceServerExample,
    find: clientRegistry.listResourceServers,
    items: ({ resourceServers }) => resourceServers.map(resourceServerBody),
  })
}

function createResourceServer(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/resources',
    schema: {
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
      response: adminAnswers({ 201: resourceServerSchema }, 'invalid_request'),
    },
    async handler(request, reply) {
      const { identifier, name = '', scopes, client_id: clientId = '', ...others } = request.body
      const { resourceServer } = await clientRegistry.createResourceServer({
        identifier,
        name,
        scopes,
        clientId,
        tokenLifetime: others.token_lifetime,
        openRegistration: others.open_registration ?? false,
        actor: actorOf(request),
      })
      reply.code(201)
      return resourceServerBody(resourceServer)
    },
  })
}

function getResourceServer(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/resources/:resource_id',
    schema: {
      operationId: 'getResourceServer',
      summary: 'Get a resource server',
      params,
      response: adminAnswers({ 200: resourceServerSchema }, 'not_found'),
    },
    async handler({ params }) {
      const { resource_id: resourceId } = params
      return resourceServerBody((await clientRegistry.getResourceServer({ resourceId })).resourceServer)
    },
  })
}

function updateResourceServer(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'PATCH',
    url: '/resources/:resource_id',
    schema: {
      operationId: 'updateResourceServer',
      summary: 'Update a resource server',
      description:
        'Absent fields stay unchanged. Disabling a resource server, or taking a scope away, revokes the codes and tokens that were granted for it.',
      params,
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
          disabled: Type.Optional(
            Type.Boolean({ description: 'No client gets tokens for a disabled resource server.' }),
          ),
          revision: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
              description:
                'The revision that the caller has read. If the resource server has another one by now, nothing is changed (`outdated_revision`).',
            }),
          ),
        },
        { title: 'ResourceServerChange', examples: [{ name: 'Acme tools', disabled: true, revision: 1 }] },
      ),
      response: adminAnswers(
        { 200: resourceServerSchema },
        'invalid_request',
        'outdated_revision',
        'not_found',
      ),
    },
    async handler(request) {
      const { body, params } = request
      const { resourceServer } = await clientRegistry.updateResourceServer({
        resourceId: params.resource_id,
        revision: BigInt(body.revision ?? 0),
        name: body.name,
        scopes: body.scopes && { items: body.scopes },
        tokenLifetime: body.token_lifetime,
        openRegistration: body.open_registration,
        clientId: body.client_id,
        disabled: body.disabled,
        actor: actorOf(request),
      })
      return resourceServerBody(resourceServer)
    },
  })
}

function deleteResourceServer(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/resources/:resource_id',
    schema: {
      operationId: 'deleteResourceServer',
      summary: 'Delete a resource server',
      description: 'The codes and tokens that were granted for it are revoked.',
      params,
      response: adminAnswers(done('The resource server is deleted.'), 'not_found'),
    },
    async handler(request, reply) {
      const { resource_id: resourceId } = request.params
      await clientRegistry.deleteResourceServer({ resourceId, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}
