import { Type } from 'typebox'
import { type App, notStored } from '../app.ts'
import { askedBy, presentedCredentials } from '../presented-credentials.ts'
import { answers, clientCredentialParameters, clientSecurity, form } from '../schemas.ts'
import type { TokenService } from '../token-service.ts'

const body = form(
  {
    token: Type.String({ description: 'The access token.' }),
    token_type_hint: Type.Optional(Type.String({ description: 'Not needed: a token tells what it is.' })),
    ...clientCredentialParameters,
  },
  { token: '<ACCESS_TOKEN>' },
)

const text = Type.Optional(Type.String())
const seconds = Type.Optional(Type.Integer({ description: 'Seconds since the Unix epoch.' }))

const introspectionResponse = Type.Object(
  {
    active: Type.Boolean(),
    scope: text,
    client_id: text,
    username: text,
    token_type: text,
    exp: seconds,
    iat: seconds,
    sub: text,
    aud: text,
    iss: text,
    jti: text,
  },
  {
    description: 'What the token is good for. Of a token that is not active, this is all that is said.',
    examples: [{ active: false }],
  },
)

/** POST /oauth/introspect (RFC 7662). */
export function introspectRoute(app: App, tokens: TokenService): void {
  app.route({
    method: 'POST',
    url: '/oauth/introspect',
    config: { limit: 'introspect', limitByClient: true },
    schema: {
      summary: 'Ask what a token is good for',
      tags: ['OAuth'],
      consumes: ['application/x-www-form-urlencoded'],
      security: clientSecurity,
      body,
      response: answers(
        { 200: introspectionResponse },
        'invalid_request',
        'invalid_client',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const { token } = request.body
      const credentials = presentedCredentials(request)
      const found = await askedBy(request, credentials, tokens.introspect({ token, credentials }))
      if (found === undefined) return { active: false }
      const { clientId, ...claims } = found
      return { active: true, token_type: 'Bearer', client_id: clientId, ...claims }
    },
  })
}
