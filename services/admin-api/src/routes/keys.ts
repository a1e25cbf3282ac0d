import type { App } from '@gatehouse/http/app'
import { oneOf, optionalBody } from '@gatehouse/http/schemas'
import { signingAlgorithms } from '@gatehouse/proto/algorithms'
import type { SigningKey } from '@gatehouse/proto/token/v1'
import { Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../deps.ts'
import { listSchema } from '../list.ts'
import { operationRoute } from '../operation.ts'
import { moment, momentOf } from '../schemas.ts'
import { keyStates, rotateKey, signedBy, stateOf, tokenKinds } from '../signing-keys.ts'

const keyFields = {
  kid: Type.String({
    description:
      'The thumbprint of a key pair (RFC 7638). `default`: OAUTH2_JWT_SECRET itself, whose tokens have no `kid`.',
  }),
  algorithm: oneOf(signingAlgorithms),
  created_at: moment('When the key was created.'),
  state: oneOf(keyStates, {
    description:
      '`staged`: published, but not signing yet. `active`: new tokens are signed with it. `retiring`: it still verifies the tokens that it signed.',
  }),
  activates_at: Type.Optional(moment('From when on a staged key signs.')),
}
const verifiesUntil = moment('Until when the key verifies the tokens that it signed.')
const keyExample = {
  kid: '<KEY_ID>',
  algorithm: 'HS256',
  created_at: '2026-01-01T00:00:00.000Z',
  state: 'active',
}
const previousExample = { kid: 'default', verifies_until: '2026-01-01T01:00:10.000Z' }

/** /admin/api/keys. */
export function keyRoutes(app: App, deps: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /keys',
    operationId: 'listSigningKeys',
    summary: 'List the signing keys',
    description:
      'By algorithm: the key that will sign, the one that signs, and the previous ones that still verify tokens.',
    answer: {
      200: listSchema(
        Type.Object(
          {
            ...keyFields,
            active: Type.Boolean({ description: 'Whether the state is `active`.' }),
            verifies_until: Type.Optional(verifiesUntil),
            signs: Type.Array(oneOf(tokenKinds), {
              description: 'The tokens that this system signs with the algorithm of the key.',
            }),
          },
          { title: 'SigningKey' },
        ),
        'The keys, without their secret values.',
        { ...keyExample, active: true, signs: ['access_token'] },
      ),
    },
    async perform() {
      const { keys } = await deps.tokens.listSigningKeys({})
      const items = keys.map((key) => ({
        ...keyBody(key),
        active: stateOf(key) === 'active',
        ...(key.verifiesUntil && { verifies_until: momentOf(key.verifiesUntil) }),
        signs: signedBy(key),
      }))
      return { items }
    },
  })

  operationRoute(app, {
    route: 'POST /keys/rotate',
    operationId: 'rotateSigningKey',
    summary: 'Rotate a signing key',
    description:
      'Existing tokens stay valid, unless `immediately` is true. A new key pair is published first, and signs five minutes later by itself, when every verifier knows it. A new key of HS256 signs at once. The body may be left out.',
    body: Type.Object(
      {
        algorithm: Type.Optional(
          oneOf(signingAlgorithms, { description: 'By default the one that signs access tokens.' }),
        ),
        immediately: Type.Optional(
          Type.Boolean({
            description:
              'For a key that somebody else may know: the new key signs at once, and all earlier keys of the algorithm are withdrawn. Every token that they signed becomes invalid, and verifiers must fetch the key set anew.',
          }),
        ),
      },
      { ...optionalBody, title: 'KeyToRotate', examples: [{ algorithm: 'ES256', immediately: true }] },
    ),
    answer: {
      200: Type.Object(
        {
          ...keyFields,
          previous: Type.Array(Type.Object({ kid: keyFields.kid, verifies_until: verifiesUntil }), {
            description: 'The previous keys that still verify tokens and sign none.',
          }),
        },
        {
          title: 'KeyRotation',
          description: 'The new key.',
          examples: [{ ...keyExample, previous: [previousExample] }],
        },
      ),
    },
    async perform({ body, actor }) {
      const [added, ...others] = await rotateKey(deps, body, actor)
      if (added === undefined) throw new Error('the token service gave no key')
      return {
        ...keyBody(added),
        previous: others
          .filter(({ verifiesUntil }) => verifiesUntil !== undefined)
          .map(({ kid, verifiesUntil }) => ({ kid, verifies_until: momentOf(verifiesUntil) })),
      }
    },
  })
}

function keyBody(key: SigningKey) {
  const { kid, algorithm, createdAt, activatesAt } = key
  return {
    kid,
    algorithm,
    created_at: momentOf(createdAt),
    state: stateOf(key),
    ...(activatesAt && { activates_at: momentOf(activatesAt) }),
  }
}
