import type { App } from '@gatehouse/http/app'
import { keySchema } from '@gatehouse/http/key-set'
import { unchecked } from '@gatehouse/http/schemas'
import { Refusal } from '@gatehouse/kit/errors'
import type { ClientKey } from '@gatehouse/proto/clientregistry/v1'
import { type Static, Type } from '@gatehouse/proto/typebox'
import type { AdminDeps } from '../../deps.ts'
import { listSchema } from '../../list.ts'
import { operationRoute } from '../../operation.ts'
import { done, moment, momentOf } from '../../schemas.ts'

const keyExample = {
  thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  kid: '2026-01',
  kty: 'EC',
  algorithms: ['ES256'],
  last_used_at: '2026-02-01T00:00:00.000Z',
}

const clientKey = Type.Object(
  {
    thumbprint: Type.String({
      description:
        'SHA-256 of the key (RFC 7638) as base64url, by which `DELETE …/keys/{thumbprint}` removes it.',
    }),
    kid: Type.Optional(Type.String({ description: 'The name of the key in the header of assertions.' })),
    kty: Type.Optional(
      Type.String({
        description:
          'EC, OKP or RSA. Absent for a key at the `jwks_uri`, which is known only because the client has used it.',
        ...unchecked({ enum: ['EC', 'OKP', 'RSA'] }),
      }),
    ),
    algorithms: Type.Optional(
      Type.Array(Type.String(), { description: 'The algorithms of the assertions that it may verify.' }),
    ),
    last_used_at: Type.Optional(
      moment('When the client last authenticated with it, to within some minutes; absent if it never did.'),
    ),
  },
  { title: 'ClientKey', description: 'A public key of the client.', examples: [keyExample] },
)

/** The public keys of a client below /admin/api/clients. */
export function clientKeyRoutes(app: App, { clientRegistry }: AdminDeps): void {
  operationRoute(app, {
    route: 'GET /clients/:client_id/keys',
    operationId: 'listClientKeys',
    summary: 'List the public keys of a client',
    description:
      'The keys in `jwks`; for a client with `jwks_uri` those with which it authenticated in the last 90 days.',
    answer: { 200: listSchema(clientKey, 'The keys.', keyExample) },
    refusals: ['not_found'],
    async perform({ params }) {
      const { keys } = await clientRegistry.listClientKeys({ clientId: params.client_id })
      return { items: keys.map(keyBody) }
    },
  })

  operationRoute(app, {
    route: 'POST /clients/:client_id/keys',
    operationId: 'addClientKey',
    summary: 'Add a public key to a client',
    description: 'The other keys stay. The client may sign with the new one from now on.',
    body: Type.Object(
      {
        jwk: Type.Optional(Type.Unsafe<Record<string, unknown>>(keySchema)),
        pem: Type.Optional(
          Type.String({
            title: 'Public key',
            description:
              'A public key (`BEGIN PUBLIC KEY`) or a certificate as PEM, instead of `jwk`. A private key is refused: keep it where the client runs.',
          }),
        ),
        kid: Type.Optional(
          Type.String({
            title: 'Key ID',
            description:
              'The name of the key in the header of assertions; by default the one in `jwk`, if it has one.',
          }),
        ),
      },
      {
        title: 'ClientKeyToAdd',
        examples: [{ jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' } }],
      },
    ),
    answer: { 201: clientKey },
    refusals: ['invalid_request', 'not_found'],
    async perform({ params, body: { jwk, pem, kid }, actor }) {
      const { key } = await clientRegistry.addClientKey({
        clientId: params.client_id,
        key: sentKey(jwk, pem),
        kid,
        actor,
      })
      if (key === undefined) throw new Error('the client registry gave no key')
      return keyBody(key)
    },
  })

  operationRoute(app, {
    route: 'DELETE /clients/:client_id/keys/:thumbprint',
    operationId: 'removeClientKey',
    summary: 'Remove a public key of a client',
    description: 'Assertions that it signed no longer count, from now on. The last key is replaced instead.',
    answer: done('The key is removed.'),
    refusals: ['invalid_request', 'not_found'],
    async perform({ params, actor }) {
      const { client_id: clientId, thumbprint } = params
      await clientRegistry.removeClientKey({ clientId, thumbprint, actor })
    },
  })
}

/** @throws Refusal invalid_request unless exactly one of the two is there */
function sentKey(jwk: Record<string, unknown> | undefined, pem: string | undefined) {
  if (jwk !== undefined && pem === undefined) return { $case: 'jwk', value: jwk } as const
  if (pem !== undefined && jwk === undefined) return { $case: 'pem', value: pem } as const
  throw new Refusal('invalid_request', 'Send the key either as jwk or as pem.')
}

function keyBody({ thumbprint, kid, kty, algorithms, lastUsedAt }: ClientKey): Static<typeof clientKey> {
  return {
    thumbprint: thumbprint.toString('base64url'),
    ...(kid !== undefined && { kid }),
    ...(kty !== undefined && { kty, algorithms }),
    ...(lastUsedAt && { last_used_at: momentOf(lastUsedAt) }),
  }
}
