import { Refusal } from '@gatehouse/kit/errors'
import type { IssuedToken, IssueTokenRequest } from '@gatehouse/proto/token/v1'
import { type Static, Type } from 'typebox'
import { type App, notStored } from '../app.ts'
import type { GrantType } from '../grant-types.ts'
import { askedBy, presentedCredentials } from '../presented-credentials.ts'
import { answers, clientCredentialParameters, clientSecurity, form } from '../schemas.ts'
import type { TokenService } from '../token-service.ts'

const body = form(
  {
    grant_type: Type.String({ description: 'Which grant.', examples: ['client_credentials'] }),
    code: Type.Optional(Type.String({ description: '`authorization_code`: the code.' })),
    code_verifier: Type.Optional(Type.String({ description: '`authorization_code`: RFC 7636.' })),
    redirect_uri: Type.Optional(
      Type.String({
        description: '`authorization_code`: if it is sent, the one of the authorization request.',
      }),
    ),
    refresh_token: Type.Optional(Type.String({ description: '`refresh_token`: the refresh token.' })),
    username: Type.Optional(Type.String({ description: '`password`: the user name.' })),
    password: Type.Optional(Type.String({ description: '`password`: the password.' })),
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
    refresh_token: Type.Optional(Type.String({ description: 'Where they are switched on.' })),
  },
  {
    description: 'The token, which is stored already.',
    examples: [{ access_token: '<ACCESS_TOKEN>', token_type: 'Bearer', expires_in: 3600, scope: 'read' }],
  },
)

type Credentials = ReturnType<typeof presentedCredentials>
type Parameters = Static<typeof body>
type Grant = (
  credentials: Credentials,
  parameters: Parameters,
  ipAddress: string,
  tokens: TokenService,
) => Promise<IssuedToken>

/** A grant of which each request is a call of its own; a missing parameter is for the token service to find. */
const single =
  (grant: (parameters: Parameters, ipAddress: string) => IssueTokenRequest['grant']): Grant =>
  (credentials, parameters, ipAddress, tokens) =>
    tokens.issueFor({ credentials, grant: grant(parameters, ipAddress) })

/** The grants, and how each is asked for. */
const grants: Record<GrantType, Grant> = {
  client_credentials: (credentials, { scope = '' }, _ipAddress, tokens) =>
    tokens.issue({ credentials, scope }),
  authorization_code: single(
    ({ code = '', code_verifier: codeVerifier = '', redirect_uri: redirectUri = '' }) => ({
      $case: 'authorizationCode',
      value: { code, codeVerifier, redirectUri },
    }),
  ),
  refresh_token: single(({ refresh_token: refreshToken = '', scope = '' }) => ({
    $case: 'refreshToken',
    value: { refreshToken, scope },
  })),
  password: single(({ username = '', password = '', scope = '' }, ipAddress) => ({
    $case: 'password',
    value: { username, password, scope, ipAddress },
  })),
}

/**
 * POST /oauth/token (RFC 6749 section 3.2).
 * @param issued told of each token
 */
export function tokenRoute(
  app: App,
  tokens: TokenService,
  grantTypes: readonly GrantType[],
  issued: (grantType: GrantType) => void,
): void {
  app.route({
    method: 'POST',
    url: '/oauth/token',
    config: { limit: 'token', limitByClient: true },
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
      const { grant_type: grantType } = request.body
      const known = grantTypes.find((one) => one === grantType)
      if (known === undefined) throw new Refusal('unsupported_grant_type')
      const credentials = presentedCredentials(request)
      const issuing = grants[known](credentials, request.body, request.ip, tokens)
      const token = await askedBy(request, credentials, issuing)
      issued(known)
      return {
        access_token: token.accessToken,
        token_type: 'Bearer' as const,
        expires_in: token.expiresIn,
        scope: token.scope,
        ...(token.refreshToken !== undefined && { refresh_token: token.refreshToken }),
      }
    },
  })
}
