import type { App } from '@gatehouse/http/app'
import { administeredFields, changedFields, registrationOf } from '@gatehouse/http/client-document'
import { clients } from '@gatehouse/proto/administered/clients'
import { columnsIn } from '@gatehouse/proto/client-columns'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import { actorOf } from '../administrator.ts'
import { clientBody, clientExample, clientSchema, clientWithSecret, withSecret } from '../client-body.ts'
import type { AdminDeps } from '../deps.ts'
import { checkTokenReach } from '../reach.ts'
import { adminAnswers, done } from '../schemas.ts'
import { clientSecretRoutes } from './client-secrets.ts'

const params = Type.Object({ client_id: Type.String() })

/** /admin/api/clients. */
export function clientRoutes(app: App, deps: AdminDeps): void {
  listClients(app, deps)
  createClient(app, deps)
  getClient(app, deps)
  updateClient(app, deps)
  deleteClient(app, deps)
  clientSecretRoutes(app, deps)
  revokeClientTokens(app, deps)
}

function listClients(app: App, { clientRegistry }: AdminDeps): void {
  administeredList(app, clients, {
    operationId: 'listClients',
    item: clientSchema,
    example: clientExample,
    find: clientRegistry.listClients,
    items: ({ clients }) => clients.map(clientBody),
  })
}

function createClient(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/clients',
    schema: {
      operationId: 'createClient',
      summary: 'Create a client',
      body: Type.Object(
        {
          client_id: Type.Optional(
            Type.String({ title: 'Client ID', description: 'The id of the client; by default a new one.' }),
          ),
          client_secret: Type.Optional(
            Type.String({
              title: 'Client secret',
              description:
                'The secret of the client, 20 to 512 visible ASCII characters; by default a new one.',
            }),
          ),
          ...administeredFields,
        },
        {
          title: 'ClientToCreate',
          examples: [
            { client_name: 'Acme nightly jobs', grant_types: ['client_credentials'], scope: 'read write' },
          ],
        },
      ),
      response: adminAnswers({ 201: clientWithSecret }, 'invalid_request', 'invalid_scope'),
    },
    async handler(request, reply) {
      const { body } = request
      const { firstParty = false, ...registration } = registrationOf(body)
      const { client, clientSecret } = await clientRegistry.createClient({
        registration,
        firstParty,
        clientId: body.client_id,
        clientSecret: body.client_secret,
        actor: actorOf(request),
      })
      reply.code(201)
      return withSecret(client, clientSecret)
    },
  })
}

function getClient(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/clients/:client_id',
    schema: {
      operationId: 'getClient',
      summary: 'Get a client',
      params,
      response: adminAnswers({ 200: clientSchema }, 'not_found'),
    },
    async handler({ params }) {
      return clientBody((await clientRegistry.getClient({ clientId: params.client_id })).client)
    },
  })
}

function updateClient(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'PATCH',
    url: '/clients/:client_id',
    schema: {
      operationId: 'updateClient',
      summary: 'Update a client',
      description: 'Absent fields stay unchanged. Disabling a client revokes its codes and tokens.',
      params,
      body: Type.Object(
        {
          ...changedFields,
          disabled: Type.Optional(Type.Boolean({ description: 'A disabled client gets no tokens.' })),
          revision: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
              description:
                'The revision that the caller has read. If the client has another one by now, nothing is changed (`outdated_revision`).',
            }),
          ),
        },
        { title: 'ClientChange', examples: [{ client_name: 'Acme jobs', disabled: true, revision: 1 }] },
      ),
      response: adminAnswers(
        { 200: clientSchema },
        'invalid_request',
        'invalid_scope',
        'outdated_revision',
        'not_found',
      ),
    },
    async handler(request) {
      const { body, params } = request
      const { redirectUris, grantTypes, ...change } = columnsIn(body)
      const { client } = await clientRegistry.updateClient({
        clientId: params.client_id,
        revision: BigInt(body.revision ?? 0),
        ...change,
        redirectUris: redirectUris && { items: redirectUris },
        grantTypes: grantTypes && { items: grantTypes },
        disabled: body.disabled,
        actor: actorOf(request),
      })
      return clientBody(client)
    },
  })
}

function deleteClient(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/clients/:client_id',
    schema: {
      operationId: 'deleteClient',
      summary: 'Delete a client',
      description: 'Its codes and tokens are revoked.',
      params,
      response: adminAnswers(done('The client is deleted.'), 'not_found'),
    },
    async handler(request, reply) {
      await clientRegistry.deleteClient({ clientId: request.params.client_id, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}

function revokeClientTokens(app: App, deps: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/clients/:client_id/tokens',
    schema: {
      operationId: 'revokeClientTokens',
      summary: 'Revoke all tokens of a client',
      params,
      response: adminAnswers(
        done('All tokens that were issued to the client until now are revoked.'),
        'not_found',
      ),
    },
    async handler(request, reply) {
      const { client_id: value } = request.params
      await checkTokenReach(request, { clientId: value }, deps, 'must exist')
      await deps.tokens.endTokensOf({ of: { $case: 'clientId', value }, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}
