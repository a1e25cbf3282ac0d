import type { App } from '@gatehouse/http/app'
import { answers } from '@gatehouse/http/schemas'
import { Type } from '@gatehouse/proto/typebox'
import { endpoint } from '../../endpoint/endpoint.ts'
import { address } from '../../endpoint/metadata.ts'
import { sendShared } from '../../http/shared-document.ts'
import type { KeySet } from '../key-set.ts'
import { openToEveryPage } from '../open-document.ts'

const member = (description: string) => Type.Optional(Type.String({ description }))

const key = Type.Object(
  {
    kty: Type.String({ description: 'The kind of key: `EC`, `RSA` or `OKP`.' }),
    kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
    use: Type.String({ description: '`sig`.' }),
    alg: Type.String({ description: 'The only algorithm that the key signs with.' }),
    crv: member('The curve.'),
    x: member('A coordinate, or the public key of Ed25519.'),
    y: member('A coordinate.'),
    n: member('The modulus.'),
    e: member('The exponent.'),
  },
  { title: 'PublicKey' },
)

/** A set of public keys, as an answer. */
export const publishedKeys = Type.Object(
  { keys: Type.Array(key) },
  { title: 'KeySet', description: 'The public keys.', examples: [{ keys: [] }] },
)

/** The needs of publishing the keys. */
type PublishedKeys = {
  /** Gets the keys; undefined when only HS256 signs, whose keys are never published. */
  keySet: (() => Promise<KeySet>) | undefined
}

/** GET /.well-known/jwks.json, the public keys (RFC 7517 section 5). */
export const keySetEndpoint = endpoint({
  name: 'key set',
  door: 'anybody',
  scoped: true,
  tag: 'Discovery',
  routes: keySetRoute,
  metadata: ({ issuer }: { issuer: string }) => ({ jwks_uri: address(`${issuer}${path}`) }),
})

const path = '/.well-known/jwks.json'

function keySetRoute(app: App, { keySet }: PublishedKeys): void {
  openToEveryPage(app, path)
  app.route({
    method: 'GET',
    url: path,
    schema: {
      operationId: 'getKeySet',
      summary: 'Key set',
      description:
        'The public keys that verify tokens. Empty while only HS256 signs: a symmetric key is never published.',
      response: answers({
        200: publishedKeys,
        304: Type.Null({ description: 'The key set is the one whose ETag was sent as If-None-Match.' }),
      }),
    },
    async handler(request, reply) {
      if (keySet === undefined) return { keys: [] }
      const { document, maxAge } = await keySet()
      reply.header('cache-control', `public, max-age=${maxAge}`)
      return sendShared(request, reply, document)
    },
  })
}
