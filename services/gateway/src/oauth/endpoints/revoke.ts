import { type App, notStored } from '@gatehouse/http/app'
import { answers, unchecked } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address } from '../../endpoint/metadata.ts'
import { clientCredentialParameters, clientSecurity, form, optionalText } from '../../http/schemas.ts'
import type { TokenService } from '../../services/token-service.ts'
import { type AuthenticationDeps, authenticationMetadata } from '../authentication-metadata.ts'
import { logClientAfter, presentedBy } from '../presented.ts'

const body = form(
  {
    token: Type.String({
      ...unchecked({ minLength: 1 }),
      description: 'The token to revoke.',
      examples: ['<ACCESS_TOKEN>'],
    }),
    token_type_hint: optionalText('`access_token` or `refresh_token`.'),
    ...clientCredentialParameters,
  },
  { token: '<ACCESS_TOKEN>' },
)

/** POST /oauth/revoke (RFC 7009). */
export const revocationEndpoint = endpoint({
  name: 'revocation',
  door: 'clients',
  tag: 'OAuth',
  routes: revokeRoute,
  metadata: ({ issuer, authenticationMethods }: { issuer: string } & AuthenticationDeps) => ({
    revocation_endpoint: address(`${issuer}/oauth/revoke`),
    ...authenticationMetadata('revocation', authenticationMethods),
  }),
})

function revokeRoute(app: App, { tokens }: { tokens: Pick<TokenService, 'revoke'> }): void {
  app.route({
    method: 'POST',
    url: '/oauth/revoke',
    schema: {
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      consumes: ['application/x-www-form-urlencoded'],
      security: clientSecurity,
      body,
      response: answers(
        {
          200: Type.Object({}, { description: 'The token is revoked, or was not active.', examples: [{}] }),
        },
        'invalid_request',
        'invalid_client',
        'unauthorized_client',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const { token } = request.body
      const presented = presentedBy(request)
      await logClientAfter(request, presented, tokens.revoke({ token, presented, ipAddress: request.ip }))
      // Some libraries parse the body of every 200, so it must be JSON.
      return {}
    },
  })
}
