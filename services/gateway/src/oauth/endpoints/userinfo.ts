import { type App, notStored } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import { authorityClaims, userClaims } from '@gatehouse/proto/claims'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, texts } from '../../endpoint/metadata.ts'
import { openidConnect } from '../../endpoint/part.ts'
import { optionalText } from '../../http/schemas.ts'
import { takeForms } from '../../http/take-forms.ts'
import type { TokenService } from '../../services/token-service.ts'
import { bearerTokenIn } from '../presented.ts'

const claims = Type.Object(
  { sub: Type.String({ description: 'The id of the user.' }) },
  {
    title: 'Userinfo',
    additionalProperties: true,
    description: 'The claims about the user that the scope and the parameter `claims` of the login allow.',
    examples: [
      { sub: '01980000-0000-7000-8000-000000000000', email: 'anna@example.com', email_verified: true },
    ],
  },
)

/**
 * GET and POST /oauth/userinfo (OpenID Connect Core section 5.3). The access token is in the Authorization header, or in the
 * form of a POST (RFC 6750 section 2). A token that is not active gets a 401, so a proxy can use it to check requests.
 */
export const userinfoEndpoint = endpoint({
  name: 'userinfo',
  door: 'programs',
  scoped: true,
  part: openidConnect,
  tag: 'OpenID Connect',
  routes: userinfoRoutes,
  metadata: ({ issuer, organizations }: { issuer: string; organizations: boolean }) => ({
    userinfo_endpoint: address(`${issuer}/oauth/userinfo`),
    claims_supported: texts([...claimsOfIdTokens, ...userClaims, ...(organizations ? authorityClaims : [])]),
  }),
})

/** The claims of an ID token besides those about its user. */
const claimsOfIdTokens = ['sub', 'iss', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid']

function userinfoRoutes(app: App, { tokens }: { tokens: Pick<TokenService, 'getUserinfo'> }): void {
  takeForms(app)
  const config = { requiredScope: 'openid' }
  const described = (operationId: string) => ({
    operationId,
    summary: 'Claims about the user',
    security: [{ accessToken: [] }],
    response: answers(
      { 200: claims },
      'invalid_request',
      'invalid_token',
      'insufficient_scope',
      'temporarily_unavailable',
    ),
  })
  const answer = async (accessToken: string | undefined, reply: FastifyReply) => {
    reply.headers(notStored)
    if (accessToken === undefined)
      throw new Refusal('invalid_token', 'Send an access token as a bearer token.')
    const found = await tokens.getUserinfo({ accessToken })
    return JSON.parse(found.claims)
  }

  app.route({
    method: 'GET',
    url: '/oauth/userinfo',
    config,
    schema: described('getUserinfo'),
    handler: (request, reply) => answer(bearerTokenIn(request), reply),
  })
  app.route({
    method: 'POST',
    url: '/oauth/userinfo',
    config,
    // A request with the token in its header has no body.
    attachValidation: true,
    schema: {
      ...described('postUserinfo'),
      consumes: ['application/x-www-form-urlencoded'],
      body: Type.Object({ access_token: optionalText('Unless it is in the Authorization header.') }),
    },
    handler: (request, reply) => answer(presentedToken(request), reply),
  })
}

/** @throws Refusal invalid_request when the token is sent in two ways (RFC 6750 section 2) */
function presentedToken(request: FastifyRequest): string | undefined {
  const inForm = (request.body as { access_token?: string } | null | undefined)?.access_token
  if (inForm !== undefined && request.headers.authorization !== undefined)
    throw new Refusal('invalid_request', 'The access token was sent in two ways.')
  return inForm ?? bearerTokenIn(request)
}
