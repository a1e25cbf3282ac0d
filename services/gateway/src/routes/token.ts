import { Refusal } from '@gatehouse/kit/errors'
import { Type } from 'typebox'
import { type App, notStored } from '../app.ts'
import { presentedCredentials } from '../presented-credentials.ts'
import { answers, clientCredentialParameters, clientSecurity, form } from '../schemas.ts'
import type { TokenService } from '../token-service.ts'

const body = form(
  {
    grant_type: Type.String({ description: 'Which grant.', examples: ['client_credentials'] }),
    scope: Type.Optional(
      Type.String({ description: 'Space-separated. By default all that the client is registered for.' }),
    ),
    ...clientCredentialParameters,
  },
  { grant_type: 'client_credentials', scope: 'read' },
)

const tokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
    scope: Type.String(),
  },
  {
    description: 'The token, which is stored already.',
    examples: [{ access_token: '<ACCESS_TOKEN>', token_type: 'Bearer', expires_in: 3600, scope: 'read' }],
  },
)

/** The grants that can be asked for here, and how. */
const grants = {
  client_credentials: (
    credentials: ReturnType<typeof presentedCredentials>,
    parameters: { scope?: string },
    tokens: TokenService,
  ) => tokens.issue({ credentials, scope: parameters.scope ?? '' }),
}

/** POST /oauth/token (RFC 6749 section 3.2). */
export function tokenRoute(app: App, tokens: TokenService): void {
  app.route({
    method: 'POST',
    url: '/oauth/token',
    schema: {
      summary: 'Issue an access token',
      tags: ['OAuth'],
      consumes: ['application/x-www-form-urlencoded'],
      security: clientSecurity,
      body,
      response: answers(
        { 200: tokenResponse },
        'invalid_request',
        'invalid_client',
        'invalid_grant',
        'unauthorized_client',
        'unsupported_grant_type',
        'invalid_scope',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const grant = grantOf(request.body.grant_type)
      const credentials = presentedCredentials(request)
      const token = await grant(credentials, request.body, tokens)
      return {
        access_token: token.accessToken,
        token_type: 'Bearer' as const,
        expires_in: token.expiresIn,
        scope: token.scope,
      }
    },
  })
}

function grantOf(grantType: string) {
  if (!Object.hasOwn(grants, grantType)) throw new Refusal('unsupported_grant_type')
  return grants[grantType as keyof typeof grants]
}
