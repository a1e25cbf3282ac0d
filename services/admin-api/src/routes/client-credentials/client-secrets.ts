import type { App } from '@gatehouse/http/app'
import { Type } from '@gatehouse/proto/typebox'
import { clientBody, clientSchema, clientWithSecret, withSecret } from '../../client-body.ts'
import type { AdminDeps } from '../../deps.ts'
import { operationRoute } from '../../operation.ts'

/** In seconds. */
const longestOverlap = 30 * 86_400

/** The secrets of a client below /admin/api/clients. */
export function clientSecretRoutes(app: App, { clientRegistry }: AdminDeps): void {
  operationRoute(app, {
    route: 'POST /clients/:client_id/secret',
    operationId: 'rotateClientSecret',
    summary: 'Rotate a client’s secret',
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
    answer: { 200: clientWithSecret },
    refusals: ['not_found'],
    async perform({ params, body, actor }) {
      const { client, clientSecret } = await clientRegistry.rotateClientSecret({
        clientId: params.client_id,
        overlapSeconds: body.overlap_seconds ?? 0,
        actor,
      })
      return withSecret(client, clientSecret)
    },
  })

  operationRoute(app, {
    route: 'DELETE /clients/:client_id/secrets/:secret_id',
    operationId: 'endClientSecret',
    summary: 'End the previous secret of a client',
    description:
      'During the overlap of a rotation: the previous secret is no longer valid from now on. The current one is not ended, but replaced.',
    answer: { 200: clientSchema },
    refusals: ['not_found'],
    async perform({ params, actor }) {
      const { client_id: clientId, secret_id: secretId } = params
      const { client } = await clientRegistry.endClientSecret({
        clientId,
        secretId,
        actor,
      })
      return clientBody(client)
    },
  })
}
