import type { App } from '@gatehouse/http/app'
import { connections as definition } from '@gatehouse/proto/administered/connections'
import type { Connection } from '@gatehouse/proto/connection/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import { administeredList } from '../../administered.ts'
import type { AdminDeps } from '../../deps.ts'
import { operationRoute } from '../../operation.ts'
import { done, revisionOf } from '../../schemas.ts'
import {
  changedSettings,
  connectionBody,
  connectionExample,
  connectionSchema,
  createdSettings,
} from './connection-body.ts'
import { mappingFrom } from './mapping.ts'

const changeBody = Type.Object(
  { ...changedSettings, revision: revisionOf('the connection') },
  { title: 'ConnectionChange', examples: [{ disabled: true, revision: 1 }] },
)

const creationBody = Type.Object(createdSettings, {
  title: 'ConnectionToCreate',
  examples: [
    {
      ...{ kind: 'oidc', name: 'Acme', issuer: 'https://login.acme.example' },
      ...{ client_id: 'gatehouse', client_secret: '<SECRET>', organization: '<ORGANIZATION_ID>' },
    },
  ],
})

/** /admin/api/connections. */
export function connectionRoutes(app: App, deps: AdminDeps): void {
  const { connectionService, issuer } = deps
  administeredList(app, definition, {
    operationId: 'listConnections',
    item: connectionSchema,
    example: connectionExample,
    find: connectionService.listConnections,
    items: ({ connections }) => connections.map((connection) => connectionBody(connection, issuer)),
  })

  operationRoute(app, {
    route: 'POST /connections',
    operationId: 'createConnection',
    summary: 'Create a connection to another identity provider',
    description:
      'The metadata of the provider are read first. Register the addresses of the answer at the provider afterwards.',
    body: creationBody,
    answer: { 201: connectionSchema },
    async perform({ body, actor }) {
      const { disabled = false, client_secret: clientSecret, organization: organizationId } = body
      const wanted = {
        ...(await connectionFrom(body, deps)),
        ...{ kind: body.kind, organizationId, onLoginPage: body.on_login_page ?? true },
      }
      const { connection } = await connectionService.createConnection({
        ...{ connection: wanted, clientSecret, disabled, actor },
      })
      return connectionBody(connection, issuer)
    },
  })

  operationRoute(app, {
    route: 'GET /connections/:connection_id',
    operationId: 'getConnection',
    summary: 'Get a connection',
    answer: { 200: connectionSchema },
    refusals: ['not_found'],
    perform: async ({ params: { connection_id: connectionId } }) =>
      connectionBody((await connectionService.getConnection({ connectionId })).connection, issuer),
  })

  operationRoute(app, {
    route: 'PATCH /connections/:connection_id',
    operationId: 'updateConnection',
    summary: 'Update, disable or enable a connection',
    description:
      'Absent fields stay unchanged. Disabling ends the logins that came by it and what was granted after them; enabling brings none of that back, and links stay. So does another issuer, with which the links of the former one lead to nobody.',
    body: changeBody,
    answer: { 200: connectionSchema },
    refusals: ['outdated_revision', 'not_found'],
    async perform({ params: { connection_id: connectionId }, body, actor }) {
      const { revision = 0, disabled, client_secret: clientSecret, ...changed } = body
      const { connection } = await connectionService.updateConnection({
        ...{ connectionId, revision: BigInt(revision), clientSecret, disabled, actor },
        connection: await connectionFrom(changed, deps),
        fields: Object.keys(changed),
      })
      return connectionBody(connection, issuer)
    },
  })

  operationRoute(app, {
    route: 'DELETE /connections/:connection_id',
    operationId: 'deleteConnection',
    summary: 'Delete a connection',
    description:
      'Its links go with it, and so do the groups and roles that its mapping gave. The logins that came by it end, and what was granted after them. The users stay.',
    answer: done('The connection is deleted.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) =>
      connectionService.deleteConnection({ connectionId: params.connection_id, actor }),
  })
}

/** The fields of a body as the identity service takes them. What is absent is empty: its default in a new connection, and nothing in a change. */
async function connectionFrom(
  body: Omit<Static<typeof changeBody>, 'revision'>,
  deps: AdminDeps,
): Promise<Connection> {
  return {
    ...{ connectionId: '', kind: '', hasClientSecret: false, revision: 0n, columns: undefined },
    ...{ createdAt: undefined, disabledAt: undefined, clientPublicKey: undefined, callbackPath: '' },
    ...{ name: body.name ?? '', issuer: body.issuer, clientId: body.client_id ?? '' },
    clientAuthentication: body.client_authentication ?? '',
    scope: body.scope ?? '',
    acrValues: body.acr_values ?? undefined,
    tenants: body.tenants ?? [],
    trustsSecondFactor: body.trusts_second_factor ?? false,
    newUsers: body.new_users ?? '',
    mapping: await mappingFrom(body.mapping ?? [], deps),
    domains: body.domains ?? [],
    onLoginPage: body.on_login_page ?? false,
  }
}
