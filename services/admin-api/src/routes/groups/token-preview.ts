import type { App } from '@gatehouse/http/app'
import { areaScope } from '@gatehouse/proto/administration'
import type { PreviewTokensResponse } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import { administratorOf, checkScope } from '../../administrator.ts'
import type { AdminDeps } from '../../deps.ts'
import { operationRoute } from '../../operation.ts'

/** A preview must not tell who is a member of an organization to an administrator who may not see that. */
const organizations = areaScope('organizations', 'read')

const claims = (description: string) => Type.Object({}, { additionalProperties: true, description })

const refusal = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  {
    description:
      'Why the client would get no tokens, as the authorization endpoint says it. All else is absent then.',
  },
)

const preview = Type.Object(
  {
    access_token: Type.Optional(claims('The claims of the access token, but its `jti`.')),
    id_token: Type.Optional(
      claims(
        'The claims of the ID token, without those that a login decides; absent without the scope `openid`.',
      ),
    ),
    userinfo: Type.Optional(
      claims('The answer of the userinfo endpoint; absent where it would refuse the access token.'),
    ),
    refused: Type.Optional(refusal),
  },
  {
    title: 'TokenPreview',
    description: 'The tokens that the client would get.',
    examples: [
      {
        access_token: {
          ...{ iss: 'https://auth.example', sub: '<USER_ID>', aud: 'https://notes.example', exp: 1767229200 },
          ...{ iat: 1767225600, scope: 'notes:read', client_id: '<CLIENT_ID>', roles: ['reader'] },
        },
      },
    ],
  },
)

/** GET /admin/api/users/{user_id}/token-preview. */
export function tokenPreviewRoute(app: App, { identity, tokens }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /users/:user_id/token-preview',
    operationId: 'previewTokens',
    summary: 'Say what tokens a client would get for a user',
    description: `Judged as now, by the client, its resource servers and the user’s roles, as if the user had agreed. Nothing is issued. For tokens in an organization, the scope \`${organizations}\` is needed, too.`,
    query: {
      client_id: Type.String({ description: 'The client.' }),
      scope: Type.Optional(
        Type.String({ description: 'The scope that it asks for; by default all that it may have.' }),
      ),
      resource: Type.Optional(
        Type.String({
          description: 'The identifiers of resource servers, with one space between two (RFC 8707).',
        }),
      ),
      organization: Type.Optional(
        Type.String({ description: 'The id or the slug of the organization in which the user would act.' }),
      ),
    },
    answer: { 200: preview },
    refusals: ['not_found'],
    async perform({ params, query, request }) {
      const { client_id: clientId, scope = '', resource = '', organization } = query
      const { user_id: userId } = params
      const administrator = administratorOf(request)
      if (organization !== undefined) checkScope(administrator, organizations)
      // It refuses an unknown user; a disabled one gets no tokens.
      await identity.getUser({ userId })
      const resources = resource.split(' ').filter((identifier) => identifier !== '')
      const preview = await tokens.previewTokens({ userId, clientId, scope, resources, organization })
      // A client may be of an organization by itself, or need one.
      if (isInOrganization(preview)) checkScope(administrator, organizations)
      return bodyOf(preview)
    },
  })
}

function isInOrganization({ outcome }: PreviewTokensResponse): boolean {
  return outcome?.$case === 'preview' && outcome.value.accessToken?.org_id !== undefined
}

function bodyOf({ outcome }: PreviewTokensResponse) {
  if (outcome === undefined) throw new Error('the token service gave no preview')
  if (outcome.$case === 'refused') {
    const { error, description } = outcome.value
    return { refused: { error, error_description: description } }
  }
  const { accessToken, idToken, userinfo } = outcome.value
  return {
    access_token: accessToken ?? {},
    ...(idToken && { id_token: idToken }),
    ...(userinfo && { userinfo }),
  }
}
