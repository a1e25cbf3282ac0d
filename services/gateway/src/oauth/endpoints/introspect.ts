import { type App, notStored } from '@gatehouse/http/app'
import { answers, unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import { userAttributeEntries } from '@gatehouse/proto/people/user-attributes'
import type { Presented } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { FastifyRequest } from 'fastify'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address } from '../../endpoint/metadata.ts'
import { clientCredentialParameters, clientSecurity, form, optionalText } from '../../http/schemas.ts'
import type { TokenService } from '../../services/token-service.ts'
import { type AuthenticationDeps, authenticationMetadata } from '../authentication-metadata.ts'
import { logClientAfter, presentedBy, presentedIn } from '../presented.ts'

const body = form(
  {
    token: Type.String({
      // Not checked: a parameter without a value counts as omitted, and counting a long token's characters takes time.
      ...unchecked({ minLength: 1 }),
      description: 'An access token, or a refresh token of the calling client.',
      examples: ['<ACCESS_TOKEN>'],
    }),
    token_type_hint: optionalText('Not needed: the server recognizes the type of a token.'),
    ...clientCredentialParameters,
  },
  { token: '<ACCESS_TOKEN>' },
)

const text = Type.Optional(Type.String())
const seconds = Type.Optional(Type.Integer({ description: 'Seconds since the Unix epoch.' }))

const listed = { description: 'Where the resource server of the token lists it among its `token_claims`.' }
const names = Type.Optional(Type.Array(Type.String(), listed))
const overage = Type.Optional(
  Type.Boolean({ description: 'Whether the list is left out, because it is too long.' }),
)
const asKeycloak = Type.Optional(
  Type.Unknown({ description: 'The roles, where their shape is that of Keycloak.' }),
)

/** The claims that a token carries. */
const carriedClaims = {
  ...{ groups: names, groups_overage: overage, roles: names, roles_overage: overage },
  ...{ realm_access: asKeycloak, resource_access: asKeycloak },
  ...Object.fromEntries(userAttributeEntries.map(([name]) => [name, Type.Optional(Type.Unknown(listed))])),
}

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
    aud: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: 'The audience of the token; a list when there are several.',
      }),
    ),
    iss: text,
    jti: text,
    org_id: Type.Optional(
      Type.String({ description: 'The id of the organization in which the token was given.' }),
    ),
    ...carriedClaims,
  },
  {
    title: 'Introspection',
    description:
      'The state of the token. The answer for an inactive token has no other fields than `active`.',
    examples: [{ active: false }],
  },
)

/** POST /oauth/introspect (RFC 7662). */
export const introspectionEndpoint = endpoint({
  name: 'introspection',
  door: 'clients',
  limit: 'introspect',
  limitByClient: true,
  tag: 'OAuth',
  routes: introspectRoute,
  metadata: ({ issuer, authenticationMethods }: { issuer: string } & AuthenticationDeps) => ({
    introspection_endpoint: address(`${issuer}/oauth/introspect`),
    ...authenticationMetadata('introspection', authenticationMethods),
  }),
})

function introspectRoute(app: App, { tokens }: { tokens: Pick<TokenService, 'introspect'> }): void {
  app.route({
    method: 'POST',
    url: '/oauth/introspect',
    schema: {
      operationId: 'introspectToken',
      summary: 'Introspect a token',
      consumes: ['application/x-www-form-urlencoded'],
      security: [...clientSecurity, { clientToken: [] }],
      body,
      response: answers(
        { 200: introspectionResponse },
        'invalid_request',
        'invalid_client',
        'invalid_token',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const { token } = request.body
      const presented = callerOf(request)
      const asking = tokens.introspect({ token, presented, ipAddress: request.ip })
      const found = await logClientAfter(request, presented, asking)
      if (found === undefined) return { active: false }
      const { clientId, refreshToken, audiences, jti, ofUser: _, orgId, claims: carried, ...claims } = found
      const { aud: single, ...others } = claims
      const more = carried === undefined ? undefined : JSON.parse(carried)
      const active = {
        ...{ ...more, active: true, client_id: clientId, ...others },
        ...(orgId !== undefined && { org_id: orgId }),
      }
      // RFC 7519 section 4.1.3: a list when there are several.
      const aud = audiences.length > 0 ? audiences : single
      return refreshToken ? active : { ...active, token_type: 'Bearer', aud, jti }
    },
  })
}

/**
 * How the caller authenticates: with client credentials, or with an access token of its own (RFC 7662 section 2.1).
 * @throws Refusal invalid_request when the request has both
 */
function callerOf(request: FastifyRequest): Presented {
  const { presented } = presentedIn(request)
  if (presented.token === undefined) return presentedBy(request)
  const { client_secret: secret, client_assertion: assertion } = Object(request.body)
  const other = secret !== undefined ? 'client_secret' : assertion !== undefined && 'client_assertion'
  if (other)
    throw new Refusal('invalid_request', `Authenticate by one method only: the bearer token or ${other}.`)
  return presented
}
