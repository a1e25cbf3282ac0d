import type { App } from '@gatehouse/http/app'
import { oneOf } from '@gatehouse/http/schemas'
import type { AuthenticatorApp, Passkey } from '@gatehouse/proto/identity/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { done, moment, momentOf } from '../schemas.ts'

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
const resetDescription =
  'For a user who has lost it. Their sessions end. Unless another factor is left, they log in with their password alone; where OAUTH2_MFA demands two factors, they enrol a new one while logging in.'

/** /admin/api/users/{user_id}/factors. */
export function userFactorRoutes(app: App, { identity }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /users/:user_id/factors',
    operationId: 'listUserFactors',
    summary: 'List a user’s passkeys and second factors',
    answer: { 200: factorsSchema },
    refusals: ['not_found'],
    async perform({ params }) {
      const { user_id: userId } = params
      const { passkeys, app: authenticator, recoveryCodesLeft } = await identity.listFactors({ userId })
      return {
        items: [...passkeys.map(passkeyBody), ...(authenticator ? [appBody(authenticator)] : [])],
        recovery_codes_left: recoveryCodesLeft,
      }
    },
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id/factors',
    operationId: 'resetUserFactors',
    summary: 'Remove all passkeys, second factors and recovery codes of a user',
    description: resetDescription,
    answer: done('The factors are removed.'),
    refusals: ['not_found'],
    perform: ({ params, actor }) => identity.resetFactors({ userId: params.user_id, actor }),
  })

  operationRoute(app, {
    route: 'DELETE /users/:user_id/factors/:factor_id',
    operationId: 'resetUserFactor',
    summary: 'Remove one passkey or second factor of a user',
    description: resetDescription,
    answer: done('The factor is removed.'),
    refusals: ['not_found'],
    async perform({ params, actor }) {
      const { user_id: userId, factor_id: factorId } = params
      await identity.resetFactors({ userId, factorId, actor })
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
