import type { App } from '@gatehouse/http/app'
import { oneOf, optionalBody } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { operationRoute } from '../operation.ts'
import { moment } from '../schemas.ts'
import { reencrypt, secretVariables } from './reencryption.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

const secret = Type.Object(
  {
    variable: oneOf(secretVariables),
    changing: Type.Boolean({ description: 'Whether a process has `…_NEXT` as well.' }),
    read: count('How many stored contents this call looked at: key pairs, or secrets of authenticator apps.'),
    rewritten: count('How many of these it encrypted anew.'),
    unreadable: count('How many of these nothing decrypts: another secret encrypted them.'),
    other_needed_until: Type.Optional(
      moment(
        'Until when something may depend on the other value: the last access token, session or enrolment of an authenticator app that exists now ends then.',
      ),
    ),
  },
  { title: 'ReencryptedSecret' },
)

const example = { read: 2, rewritten: 2, unreadable: 0, other_needed_until: '2026-01-08T00:00:00.000Z' }

/** /admin/api/secrets. */
export function secretRoutes(app: App, deps: AdminDeps): void {
  operationRoute(app, {
    route: 'POST /secrets/reencrypt',
    operationId: 'reencryptSecrets',
    summary: 'Encrypt stored contents with the current secrets',
    description:
      'The third step of a change of `OAUTH2_JWT_SECRET`, `OAUTH2_SESSION_KEY` or `OAUTH2_FACTOR_KEY`. Refused while a process still has the other value. It may be repeated: what is encrypted with the current secret already stays as it is. One call goes on for some seconds at most. The body may be left out.',
    body: Type.Object(
      {
        after: Type.Optional(
          Type.String({ maxLength: 200, description: 'To go on: `next` of the answer before.' }),
        ),
      },
      { ...optionalBody, title: 'ReencryptionToGoOn', examples: [{}] },
    ),
    answer: {
      200: Type.Object(
        {
          secrets: Type.Array(secret),
          next: Type.Optional(Type.String({ description: 'Where to go on; absent when nothing is left.' })),
        },
        {
          title: 'Reencryption',
          description: 'The work of this call.',
          examples: [{ secrets: [{ variable: 'OAUTH2_JWT_SECRET', changing: true, ...example }] }],
        },
      ),
    },
    refusals: ['secrets_differ'],
    async perform({ body, actor }) {
      const { secrets, ...rest } = await reencrypt(deps, body.after, actor)
      return {
        ...rest,
        secrets: secrets.map(({ otherNeededUntil, ...state }) => ({
          ...state,
          ...(otherNeededUntil && { other_needed_until: otherNeededUntil.toISOString() }),
        })),
      }
    },
  })
}
