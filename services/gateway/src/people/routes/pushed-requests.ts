import { type App, notStored } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { type PushedRequests, pushedRequestLifetime, requestUriOf } from '@gatehouse/proto/pushed-requests'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, flag, optional } from '../../endpoint/metadata.ts'
import { pushedRequests } from '../../endpoint/part.ts'
import { clientCredentialParameters, clientSecurity, form } from '../../http/schemas.ts'
import { logClientAfter, presentedBy } from '../../oauth/presented.ts'
import type { TokenService } from '../../services/token-service.ts'
import { authorizationIn } from '../authorization/authorization.ts'
import { authorizationParameters } from '../authorization/parameters.ts'

/** The needs of the endpoint. */
type PushedRequestDeps = {
  tokens: Pick<TokenService, 'pushAuthorization'>
  /** Whether `resource` counts (RFC 8707). */
  resourceIndicators: boolean
}

/** POST /oauth/par (RFC 9126 section 2). */
export const pushedRequestEndpoint = endpoint({
  name: 'pushed requests',
  door: 'clients',
  part: pushedRequests,
  limit: 'pushed_request',
  limitByClient: true,
  tag: 'OAuth',
  routes: pushedRequestRoute,
  metadata: ({ issuer, pushedRequestMode }: { issuer: string; pushedRequestMode: PushedRequests }) => ({
    pushed_authorization_request_endpoint: optional(address(`${issuer}/oauth/par`)),
    require_pushed_authorization_requests: optional(
      flag(pushedRequestMode === 'required', {
        description: 'Whether every client must push its authorization requests.',
      }),
    ),
  }),
})

const body = form(
  { ...authorizationParameters, ...clientCredentialParameters },
  {
    response_type: 'code',
    redirect_uri: 'https://app.example.com/callback',
    // RFC 7636 appendix B.
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  },
)

const pushed = Type.Object(
  {
    request_uri: Type.String({
      description: 'To be sent to the authorization endpoint, with the client_id.',
    }),
    expires_in: Type.Integer({ description: 'In seconds: how long it waits for the browser of the user.' }),
  },
  {
    title: 'PushedRequest',
    description: 'The request is kept.',
    examples: [
      {
        request_uri: requestUriOf('4f6c2a39-8f0e-4d57-9d3b-1c2f7a7b5a10'),
        expires_in: pushedRequestLifetime,
      },
    ],
  },
)

function pushedRequestRoute(app: App, { tokens, resourceIndicators }: PushedRequestDeps): void {
  app.route({
    method: 'POST',
    url: '/oauth/par',
    // The schema is documentation: the token service judges a pushed request as it judges one in a browser.
    attachValidation: true,
    schema: {
      operationId: 'pushAuthorizationRequest',
      summary: 'Push an authorization request',
      description: 'Takes the parameters of GET /oauth/authorize from the client itself (RFC 9126).',
      consumes: ['application/x-www-form-urlencoded'],
      security: clientSecurity,
      body,
      response: answers(
        { 201: pushed },
        'invalid_request',
        'invalid_client',
        'unauthorized_client',
        'unsupported_response_type',
        'invalid_scope',
        'invalid_target',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const presented = presentedBy(request)
      const received = authorizationIn((request.body ?? {}) as Record<string, string>, resourceIndicators)
      const pushing = tokens.pushAuthorization({ ...received, presented, ipAddress: request.ip })
      const { requestUri, expiresIn } = await logClientAfter(request, presented, pushing)
      reply.code(201)
      return { request_uri: requestUri, expires_in: expiresIn }
    },
  })
}
