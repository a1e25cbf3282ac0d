import type { App } from '@gatehouse/http/app'
import { oneOf } from '@gatehouse/http/schemas'
import { accessTokenAlgorithm } from '@gatehouse/proto/algorithms'
import type { SigningKey } from '@gatehouse/proto/token/v1'
import { Type } from 'typebox'
import { actorOf } from '../administrator.ts'
import type { AdminDeps } from '../deps.ts'
import { listSchema } from '../list.ts'
import { adminAnswers, moment, momentOf } from '../schemas.ts'

const keyFields = {
  kid: Type.String({ description: '`default`: OAUTH2_JWT_SECRET itself, whose tokens have no `kid`.' }),
  algorithm: oneOf([accessTokenAlgorithm]),
  created_at: moment('When the key was created.'),
}
const verifiesUntil = moment('Until when the key verifies the tokens that it signed.')
const keyExample = {
  kid: '<KEY_ID>',
  algorithm: accessTokenAlgorithm,
  created_at: '2026-01-01T00:00:00.000Z',
}
const previousExample = { kid: 'default', verifies_until: '2026-01-01T01:00:10.000Z' }

/** /admin/api/keys. */
export function keyRoutes(app: App, deps: AdminDeps): void {
  listSigningKeys(app, deps)
  rotateSigningKey(app, deps)
}

function listSigningKeys(app: App, { tokens }: AdminDeps): void {
  app.route({
    method: 'GET',
    url: '/keys',
    schema: {
      operationId: 'listSigningKeys',
      summary: 'List the signing keys',
      description: 'The current key first, then the previous keys that still verify tokens.',
      response: adminAnswers({
        200: listSchema(
          Type.Object(
            {
              ...keyFields,
              active: Type.Boolean({ description: 'Whether new tokens are signed with this key.' }),
              verifies_until: Type.Optional(verifiesUntil),
            },
            { title: 'SigningKey' },
          ),
          'The keys, without their secret values.',
          { ...keyExample, active: true },
        ),
      }),
    },
    async handler() {
      const { keys } = await tokens.listSigningKeys({})
      const items = keys.map((key) => ({
        ...keyBody(key),
        active: key.verifiesUntil === undefined,
        ...(key.verifiesUntil && { verifies_until: key.verifiesUntil.toISOString() }),
      }))
      return { items }
    },
  })
}

function rotateSigningKey(app: App, { tokens }: AdminDeps): void {
  app.route({
    method: 'POST',
    url: '/keys/rotate',
    schema: {
      operationId: 'rotateSigningKey',
      summary: 'Rotate the signing key',
      description:
        'Existing tokens stay valid: the previous key verifies them until the last one has expired.',
      response: adminAnswers({
        200: Type.Object(
          {
            ...keyFields,
            previous: Type.Array(Type.Object({ kid: keyFields.kid, verifies_until: verifiesUntil }), {
              description: 'The previous keys that still verify tokens.',
            }),
          },
          {
            title: 'KeyRotation',
            description: 'The new key, which signs tokens from now on.',
            examples: [{ ...keyExample, previous: [previousExample] }],
          },
        ),
      }),
    },
    async handler(request) {
      const { keys } = await tokens.rotateSigningKey({ actor: actorOf(request) })
      const [active, ...previous] = keys
      if (active === undefined) throw new Error('the token service gave no key')
      return {
        ...keyBody(active),
        previous: previous.map(({ kid, verifiesUntil }) => ({
          kid,
          verifies_until: momentOf(verifiesUntil),
        })),
      }
    },
  })
}

function keyBody({ kid, algorithm, createdAt }: SigningKey) {
  return { kid, algorithm, created_at: momentOf(createdAt) }
}
