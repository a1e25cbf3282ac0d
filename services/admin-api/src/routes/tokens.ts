import type { App } from '@gatehouse/http/app'
import { unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { AccessToken } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import { administratorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listRoute } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { checkTokenReach } from '../reach.ts'
import { done, moment, momentOf } from '../schemas.ts'

const token = Type.Object(
  {
    jti: Type.String({ format: 'uuid' }),
    exp: Type.Integer({
      description: 'Seconds since the Unix epoch; identifies the token together with `jti`.',
    }),
    client_id: Type.String(),
    user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Absent if no user is involved.' })),
    username: Type.Optional(
      Type.String({ description: 'The name that the user had when the token was issued.' }),
    ),
    scope: Type.String(),
    resources: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The resource servers that the token is for; absent for the default audience.',
      }),
    ),
    organization_id: Type.Optional(
      Type.String({ description: 'The organization in which the token was granted; absent for none.' }),
    ),
    grant_id: Type.String({ format: 'uuid' }),
    issued_at: moment('When the token was issued.'),
    expires_at: moment('When the token expires.'),
    revoked: Type.Boolean({ description: 'Whether the token was revoked.' }),
  },
  { title: 'AccessToken' },
)
const example = {
  jti: '019b7a5e-0000-7000-8000-000000000000',
  exp: 1767229200,
  client_id: '<CLIENT_ID>',
  scope: 'read',
  grant_id: '019b7a5e-0000-7000-8000-000000000001',
  issued_at: '2026-01-01T00:00:00.000Z',
  expires_at: '2026-01-01T01:00:00.000Z',
  revoked: false,
}
/** The largest value of a `uint32`, which `exp` is in the contract. */
const lastSecond = 2 ** 32 - 1

/** /admin/api/tokens. */
export function tokenRoutes(app: App, deps: AdminDeps): void {
  const { tokens } = deps
  listRoute(app, {
    url: '/tokens',
    operationId: 'listAccessTokens',
    summary: 'List access tokens that have not expired',
    description: 'Last to expire first; the tokens of one client or user newest first.',
    filters: {
      client_id: Type.Optional(Type.String({ description: 'Only tokens of this client.' })),
      user_id: Type.Optional(
        Type.String({ description: 'Only tokens of this user; not together with `client_id`.' }),
      ),
      jti: Type.Optional(
        Type.String({ description: 'Only the token with this id; not together with the others.' }),
      ),
    },
    item: token,
    answer: 'The tokens, without their secret values.',
    example,
    async find({ cursor, limit, ...of }) {
      const list = await tokens.listAccessTokens({ of: listedOf(of), cursor, limit })
      return { items: list.tokens.map(tokenBody), nextCursor: list.nextCursor }
    },
  })

  operationRoute(app, {
    route: 'POST /tokens/revoke',
    operationId: 'revokeAnyToken',
    summary: 'Revoke any token',
    description:
      'Takes the token itself, or its `jti` and `exp` from a list. Revoking a refresh token revokes all tokens of its grant.',
    body: Type.Object(
      {
        token: Type.Optional(Type.String({ description: 'An access token or a refresh token.' })),
        jti: Type.Optional(Type.String()),
        exp: Type.Optional(Type.Integer({ minimum: 0, maximum: lastSecond })),
      },
      {
        title: 'TokenToRevoke',
        ...unchecked({
          oneOf: [
            { required: ['token'], maxProperties: 1 },
            { required: ['jti', 'exp'], maxProperties: 2 },
          ],
        }),
        examples: [{ jti: example.jti, exp: example.exp }],
      },
    ),
    answer: done('The token is no longer active.'),
    refusals: ['not_found'],
    async perform({ body, actor, request }) {
      const which = whichOf(body)
      // Even a limited administrator may end a token of which they have the text, since they could use it.
      if (which.$case === 'key' && administratorOf(request).actor.limited) {
        const of = { $case: 'jti', value: which.value.jti } as const
        for (const owner of (await tokens.listAccessTokens({ of, limit: 1 })).tokens)
          await checkTokenReach(request, owner, deps, 'may be deleted')
      }
      await tokens.endToken({ which, actor })
    },
  })
}

function listedOf({
  client_id: clientId,
  user_id: userId,
  jti,
}: {
  client_id?: string
  user_id?: string
  jti?: string
}) {
  if ([clientId, userId, jti].filter((filter) => filter !== undefined).length > 1)
    throw new Refusal('invalid_request', 'Send only one of client_id, user_id and jti.')
  if (clientId !== undefined) return { $case: 'clientId', value: clientId } as const
  if (userId !== undefined) return { $case: 'userId', value: userId } as const
  return jti === undefined ? undefined : ({ $case: 'jti', value: jti } as const)
}

function whichOf({ token, jti, exp }: { token?: string; jti?: string; exp?: number }) {
  if (token !== undefined && jti === undefined && exp === undefined)
    return { $case: 'token', value: token } as const
  if (token === undefined && jti !== undefined && exp !== undefined)
    return { $case: 'key', value: { jti, exp } } as const
  throw new Refusal('invalid_request', 'Send token, or jti and exp.')
}

function tokenBody({ jti, scope, resources, revoked, issuedAt, expiresAt, ...token }: AccessToken) {
  const { clientId, userId, username, organizationId } = token
  const expires = momentOf(expiresAt)
  return {
    jti,
    exp: Math.floor(Date.parse(expires) / 1000),
    client_id: clientId,
    ...(userId !== undefined && username !== undefined && { user_id: userId, username }),
    scope,
    ...(resources.length > 0 && { resources }),
    ...(organizationId !== undefined && { organization_id: organizationId }),
    grant_id: token.grantId,
    issued_at: momentOf(issuedAt),
    expires_at: expires,
    revoked,
  }
}
