import type { App } from '@gatehouse/http/app'
import { administeredFields, changedFields, registrationOf } from '@gatehouse/http/client-document'
import { clients } from '@gatehouse/proto/administered/clients'
import { columnsIn } from '@gatehouse/proto/client-columns'
import { Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../administered.ts'
import { clientBody, clientExample, clientSchema, clientWithSecret, withSecret } from '../client-body.ts'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { checkTokenReach } from '../reach.ts'
import { done, revisionOf } from '../schemas.ts'
import { clientKeyRoutes } from './client-credentials/client-keys.ts'
import { clientSecretRoutes } from './client-credentials/client-secrets.ts'

/** /admin/api/clients. */
export function clientRoutes(app: App, deps: AdminDeps): void {
  const { clientRegistry } = deps
  administeredList(app, clients, {
    operationId: 'listClients',
    item: clientSchema,
    example: clientExample,
    find: clientRegistry.listClients,
    items: ({ clients }) => clients.map(clientBody),
  })

  operationRoute(app, {
    route: 'POST /clients',
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
    answer: { 201: clientWithSecret },
    refusals: ['invalid_request', 'invalid_scope'],
    async perform({ body, actor }) {
      const { firstParty = false, ...registration } = registrationOf(body)
      const { client, clientSecret } = await clientRegistry.createClient({
        registration,
        firstParty,
        clientId: body.client_id,
        clientSecret: body.client_secret,
        actor,
      })
      return withSecret(client, clientSecret)
    },
  })

  operationRoute(app, {
    route: 'GET /clients/:client_id',
    operationId: 'getClient',
    summary: 'Get a client',
    answer: { 200: clientSchema },
    refusals: ['not_found'],
    perform: async ({ params }) =>
      clientBody((await clientRegistry.getClient({ clientId: params.client_id })).client),
  })

  operationRoute(app, {
    route: 'PATCH /clients/:client_id',
    operationId: 'updateClient',
    summary: 'Update a client',
    description: 'Absent fields stay unchanged. Disabling a client revokes its codes and tokens.',
    body: Type.Object(
      {
        ...changedFields,
        disabled: Type.Optional(Type.Boolean({ description: 'A disabled client gets no tokens.' })),
        revision: revisionOf('the client'),
      },
      { title: 'ClientChange', examples: [{ client_name: 'Acme jobs', disabled: true, revision: 1 }] },
    ),
    answer: { 200: clientSchema },
    refusals: ['invalid_request', 'invalid_scope', 'outdated_revision', 'not_found'],
    async perform({ params, body, actor }) {
      const { redirectUris, grantTypes, ...change } = columnsIn(body)
      const { client } = await clientRegistry.updateClient({
        clientId: params.client_id,
        revision: BigInt(body.revision ?? 0),
        ...change,
        redirectUris: redirectUris && { items: redirectUris },
        grantTypes: grantTypes && { items: grantTypes },
        disabled: body.disabled,
        actor,
      })
      return clientBody(client)
    },
  })

  operationRoute(app, {
    route: 'DELETE /clients/:client_id',
    operationId: 'deleteClient',
    summary: 'Delete a client',
    description: 'Its codes and tokens are revoked.',
    answer: done('The client is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => clientRegistry.deleteClient({ clientId: params.client_id, actor }),
  })

  clientSecretRoutes(app, deps)
  clientKeyRoutes(app, deps)

  operationRoute(app, {
    route: 'DELETE /clients/:client_id/tokens',
    operationId: 'revokeClientTokens',
    summary: 'Revoke all tokens of a client',
    answer: done('All tokens that were issued to the client until now are revoked.'),
    refusals: ['not_found'],
    async perform({ params, actor, request }) {
      const { client_id: value } = params
      await checkTokenReach(request, { clientId: value }, deps, 'must exist')
      await deps.tokens.endTokensOf({ of: { $case: 'clientId', value }, actor })
    },
  })
}
