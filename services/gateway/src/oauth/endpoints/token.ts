import { type App, notStored } from '@gatehouse/http/app'
import { valuesOf } from '@gatehouse/http/form'
import { answers, oneOf, onlyWhere } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import {
  type GrantDefinition,
  type GrantType,
  grants,
  grantTypes,
  parameterSwitches,
} from '@gatehouse/proto/grants'
import { type Presence, presentWith } from '@gatehouse/proto/profiles'
import { type TOptional, type TString, Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address, texts } from '../../endpoint/metadata.ts'
import { clientCredentialParameters, clientSecurity, form, resourceParameter } from '../../http/schemas.ts'
import type { TokenService } from '../../services/token-service.ts'
import { type AuthenticationDeps, authenticationMetadata } from '../authentication-metadata.ts'
import { logClientAfter, presentedBy } from '../presented.ts'

/** The grant that is used most, for the examples. */
const usual = 'client_credentials' satisfies GrantType

const body = form(
  {
    grant_type: oneOf(grantTypes, { description: 'The grant type.', examples: [usual] }),
    ...parametersOfGrants(),
    resource: resourceParameter(
      'The resource servers that the token is for. With a code or a refresh token: of those of the grant, by default all.',
    ),
    ...clientCredentialParameters,
  },
  { grant_type: usual, scope: 'read' },
)

const tokenResponse = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'The lifetime of the access token in seconds.' }),
    scope: Type.String(),
    refresh_token: Type.Optional(Type.String(onlyWhere(presentWith('OAUTH2_REFRESH_TOKEN_ENABLED')))),
    id_token: Type.Optional(
      Type.String(onlyWhere(presentWith('OAUTH2_OPENID_ENABLED'), 'Only for the scope `openid`.')),
    ),
  },
  {
    title: 'TokenResponse',
    description: 'The issued token.',
    examples: [{ access_token: '<ACCESS_TOKEN>', token_type: 'Bearer', expires_in: 3600, scope: 'read' }],
  },
)

/** The needs of the token endpoint. */
type TokenDeps = {
  tokens: Pick<TokenService, 'issue'>
  /** The grants that are on. */
  grantTypes: readonly GrantType[]
  /** Whether `resource` counts (RFC 8707). */
  resourceIndicators: boolean
}

/** POST /oauth/token (RFC 6749 section 3.2). */
export const tokenEndpoint = endpoint({
  name: 'token',
  door: 'clients',
  limit: 'token',
  limitByClient: true,
  tag: 'OAuth',
  routes: tokenRoute,
  metadata: ({
    issuer,
    grantTypes,
    authenticationMethods,
  }: Pick<TokenDeps, 'grantTypes'> & { issuer: string } & AuthenticationDeps) => ({
    token_endpoint: address(`${issuer}/oauth/token`),
    grant_types_supported: texts(grantTypes),
    ...authenticationMetadata('token', authenticationMethods),
  }),
})

function tokenRoute(app: App, { tokens, grantTypes: enabled, resourceIndicators }: TokenDeps): void {
  app.route({
    method: 'POST',
    url: '/oauth/token',
    schema: {
      operationId: 'issueToken',
      summary: 'Issue an access token',
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
        'invalid_target',
        'temporarily_unavailable',
      ),
    },
    async handler(request, reply) {
      reply.headers(notStored)
      const { grant_type: grantType } = request.body
      const known = enabled.find((one) => one === grantType)
      if (known === undefined) throw new Refusal('unsupported_grant_type')
      const presented = presentedBy(request)
      const parameters = parametersOf(known, request.body)
      const resources = resourceIndicators ? valuesOf(request.body.resource) : []
      const issuing = tokens.issue({
        ...{ presented, grantType: known, parameters, resources, ipAddress: request.ip },
      })
      const token = await logClientAfter(request, presented, issuing)
      return {
        access_token: token.accessToken,
        token_type: 'Bearer' as const,
        expires_in: token.expiresIn,
        scope: token.scope,
        ...(token.refreshToken !== undefined && { refresh_token: token.refreshToken }),
        ...(token.idToken !== undefined && { id_token: token.idToken }),
      }
    },
  })
}

/** The parameters of all grants, each with what it means for each grant. */
function parametersOfGrants(): Record<string, TOptional<TString>> {
  const meanings = new Map<string, { text: string; presence: Presence | undefined }[]>()
  for (const grantType of grantTypes) {
    const grant: GrantDefinition = grants[grantType]
    const presence = grant.switch && presentWith(grant.switch.variable)
    for (const [name, description] of Object.entries(grant.parameters)) {
      const text = `\`${grantType}\`: ${description}`
      meanings.set(name, [...(meanings.get(name) ?? []), { text, presence }])
    }
  }
  const named = [...meanings].map(([name, ofGrants]) => {
    const text = ofGrants.map(({ text }) => text).join(' ')
    // A parameter of several grants is wherever one of them is.
    const presence = presenceOf(name) ?? (ofGrants.length === 1 ? ofGrants[0]?.presence : undefined)
    const somewhere = presence && onlyWhere(presence, text)
    return [name, Type.Optional(Type.String({ description: text, ...somewhere, examples: [''] }))]
  })
  return Object.fromEntries(named)
}

/** Where a parameter is known, if that does not depend on a grant. */
function presenceOf(parameter: string): Presence | undefined {
  return Object.hasOwn(parameterSwitches, parameter)
    ? presentWith(parameterSwitches[parameter as keyof typeof parameterSwitches])
    : undefined
}

/** The names of each grant's own parameters. */
const namesOfParameters = Object.fromEntries(
  grantTypes.map((grantType) => [grantType, Object.keys(grants[grantType].parameters)]),
) as Record<GrantType, string[]>

/** A grant's own parameters, as far as they were sent: the token service says when one is missing. */
function parametersOf(grantType: GrantType, sent: Readonly<Record<string, unknown>>): Record<string, string> {
  const parameters: Record<string, string> = {}
  for (const name of namesOfParameters[grantType]) {
    const value = sent[name]
    if (typeof value === 'string') parameters[name] = value
  }
  return parameters
}
