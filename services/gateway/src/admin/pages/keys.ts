import { actorOf } from '@gatehouse/admin-api/administrator'
import type { AdminDeps } from '@gatehouse/admin-api/deps'
import type { App } from '@gatehouse/http/app'
import { afterwards, pageSchema, sendAdminPage } from './page.ts'
import { askFirst } from './question.ts'

/** /admin/keys, the keys that sign access tokens. */
export function keyPages(app: App, { tokens }: Pick<AdminDeps, 'tokens'>): void {
  app.route({
    method: 'GET',
    url: '/admin/keys',
    config: { page: true },
    schema: pageSchema,
    async handler(request, reply) {
      const { keys } = await tokens.listSigningKeys({})
      return sendAdminPage(request, reply, 'admin/keys', { items: keys })
    },
  })
  askFirst(app, {
    url: '/admin/keys/rotate',
    ask: () => ({
      heading: 'Rotate the signing key?',
      consequences: [
        'New tokens are signed with a new key from now on, within two seconds on every replica.',
        'Existing tokens stay valid until they expire: the previous key verifies them until then.',
        'A resource server that checks signatures itself with OAUTH2_JWT_SECRET must derive the new key from it: see ' +
          'docs/keys.md. One that uses introspection notices nothing.',
      ],
      button: 'Rotate the key',
      back: '/admin/keys',
      section: '/admin/keys',
    }),
    async act(_id, request, reply) {
      await tokens.rotateSigningKey({ actor: actorOf(request) })
      return afterwards(reply, '/admin/keys', 'key-rotated')
    },
  })
}
