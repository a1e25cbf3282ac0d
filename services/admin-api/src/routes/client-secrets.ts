import type { App } from '@gatehouse/http/app'
import { Type } from '@gatehouse/proto/typebox'
import { actorOf } from '../administrator.ts'
import { clientBody, clientSchema, clientWithSecret, withSecret } from '../client-body.ts'
import type { AdminDeps } from '../deps.ts'
import { adminAnswers } from '../schemas.ts'

/** In seconds. */
const longestOverlap = 30 * 86_400
const params = Type.Object({ client_id: Type.String() })

/** The secrets of a client below /admin/api/clients. */
export function clientSecretRoutes(app: App, deps: AdminDeps): void {
  rotateClientSecret(app, deps)
  endClientSecret(app, deps)
}

function rotateClientSecret(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/clients/:client_id/secret',
    schema: {
      operationId: 'rotateClientSecret',
      summary: 'Rotate a client’s secret',
      params,
      body: Type.Object(
        {
          overlap_seconds: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: longestOverlap,
              description:
                'How long the previous secrets stay valid, at most 30 days. By default they expire at once.',
            }),
          ),
        },
        { title: 'SecretRotation', examples: [{ overlap_seconds: 86400 }] },
      ),
      response: adminAnswers({ 200: clientWithSecret }, 'invalid_request', 'not_found'),
    },
    async handler(request) {
      const { client, clientSecret } = await clientRegistry.rotateClientSecret({
        clientId: request.params.client_id,
        overlapSeconds: request.body.overlap_seconds ?? 0,
        actor: actorOf(request),
      })
      return withSecret(client, clientSecret)
    },
  })
}

function endClientSecret(app: App, { clientRegistry }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/clients/:client_id/secrets/:secret_id',
    schema: {
      operationId: 'endClientSecret',
      summary: 'End the previous secret of a client',
      description:
        'During the overlap of a rotation: the previous secret is no longer valid from now on. The current one is not ended, but replaced.',
      params: Type.Object({ client_id: Type.String(), secret_id: Type.String() }),
      response: adminAnswers({ 200: clientSchema }, 'invalid_request', 'not_found'),
    },
    async handler(request) {
      const { client_id: clientId, secret_id: secretId } = request.params
      const { client } = await clientRegistry.endClientSecret({
        clientId,
        secretId,
        actor: actorOf(request),
      })
      return clientBody(client)
    },
  })
}
