import type { App } from '@gatehouse/http/app'
import { oneOf } from '@gatehouse/http/schemas'
import type { AuthenticatorApp, Passkey } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { adminAnswers, done, moment, momentOf } from '../schemas.ts'

const factorSchema = Type.Object(
  {
    factor_id: Type.String({ description: 'The id of a passkey, or `totp` for the authenticator app.' }),
    kind: oneOf(['passkey', 'totp']),
    name: Type.String({ description: 'The user’s name for a passkey; `Authenticator app` for the app.' }),
    created_at: moment('When the user enrolled the factor.'),
    last_used_at: Type.Optional(moment('When the user last logged in with it.')),
    backed_up: Type.Optional(
      Type.Boolean({ description: 'Whether a passkey may be on several devices of the user.' }),
    ),
  },
  { title: 'Factor' },
)
const factorsSchema = Type.Object(
  {
    items: Type.Array(factorSchema),
    recovery_codes_left: Type.Integer({ description: 'How many recovery codes the user has not used yet.' }),
  },
  {
    title: 'FactorList',
    description: 'The factors. Nothing of them is secret.',
    examples: [
      {
        items: [
          {
            factor_id: '019b7a5e-0000-7000-8000-000000000006',
            kind: 'passkey',
            name: 'Firefox on Linux',
            created_at: '2026-01-01T00:00:00.000Z',
            last_used_at: '2026-01-02T00:00:00.000Z',
            backed_up: false,
          },
        ],
        recovery_codes_left: 10,
      },
    ],
  },
)
const params = Type.Object({ user_id: Type.String() })
const resetDescription =
  'For a user who has lost it. Their sessions end. Unless another factor is left, they log in with their password alone; where OAUTH2_MFA demands two factors, they enrol a new one while logging in.'

/** /admin/api/users/{user_id}/factors. */
export function userFactorRoutes(app: App, deps: AdminDeps): void {
  for (const add of [listUserFactors, resetUserFactors, resetUserFactor]) add(app, deps)
}

function listUserFactors(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/users/:user_id/factors',
    schema: {
      operationId: 'listUserFactors',
      summary: 'List a user’s passkeys and second factors',
      params,
      response: adminAnswers({ 200: factorsSchema }, 'not_found'),
    },
    async handler(request) {
      const { user_id: userId } = request.params
      const { passkeys, app: authenticator, recoveryCodesLeft } = await identity.listFactors({ userId })
      return {
        items: [...passkeys.map(passkeyBody), ...(authenticator ? [appBody(authenticator)] : [])],
        recovery_codes_left: recoveryCodesLeft,
      }
    },
  })
}

function resetUserFactors(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id/factors',
    schema: {
      operationId: 'resetUserFactors',
      summary: 'Remove all passkeys, second factors and recovery codes of a user',
      description: resetDescription,
      params,
      response: adminAnswers(done('The factors are removed.'), 'not_found'),
    },
    async handler(request, reply) {
      const { user_id: userId } = request.params
      await identity.resetFactors({ userId, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}

function resetUserFactor(app: App, { identity }: AdminDeps): void {
  app.route({
    method: 'DELETE',
    url: '/users/:user_id/factors/:factor_id',
    schema: {
      operationId: 'resetUserFactor',
      summary: 'Remove one passkey or second factor of a user',
      description: resetDescription,
      params: Type.Object({ user_id: Type.String(), factor_id: Type.String() }),
      response: adminAnswers(done('The factor is removed.'), 'not_found'),
    },
    async handler(request, reply) {
      const { user_id: userId, factor_id: factorId } = request.params
      // The address with a slash at its end names all of them too.
      await identity.resetFactors({ userId, factorId: factorId || undefined, actor: actorOf(request) })
      return reply.code(204).send(null)
    },
  })
}

function passkeyBody({ passkeyId, name, createdAt, lastUsedAt, backedUp }: Passkey) {
  return {
    factor_id: passkeyId,
    kind: 'passkey' as const,
    name,
    created_at: momentOf(createdAt),
    ...(lastUsedAt && { last_used_at: momentOf(lastUsedAt) }),
    backed_up: backedUp,
  }
}

function appBody({ createdAt, lastUsedAt }: AuthenticatorApp) {
  return {
    factor_id: 'totp',
    kind: 'totp' as const,
    name: 'Authenticator app',
    created_at: momentOf(createdAt),
    ...(lastUsedAt && { last_used_at: momentOf(lastUsedAt) }),
  }
}
