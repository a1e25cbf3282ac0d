import { join } from 'node:path'
import { basic } from '@gatehouse/test/oauth'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { expect, test } from 'vitest'
import { asAdministrator, type Provider } from '../../e2e/openid/openid-world.ts'

/** In milliseconds: on a busy machine the app takes long to start. */
const starting = 60_000

/**
 * Tests Django OAuth Toolkit as a resource server.
 * @param python a Python that has it
 */
export function djangoOauthToolkit(there: () => Provider, python: string): void {
  test(
    'introspects access tokens: one passes, and none that is revoked, lacks the scope or is for another API',
    async () => {
      const { system, root, createClient } = there()
      const [port = 0] = await freePorts(1)
      const metadata = {
        grant_types: ['client_credentials'],
        redirect_uris: [],
        scope: 'read photos:read photos:write',
      }
      const [api, client] = [await createClient(metadata), await createClient(metadata)]
      const toolkit = {
        RESOURCE_SERVER_INTROSPECTION_URL: `${system.baseUrl}/oauth/introspect`,
        RESOURCE_SERVER_INTROSPECTION_CREDENTIALS: [api.client_id, api.client_secret],
        // By default it does not ask about a token again for ten hours. With 0 it accepts none at all.
        RESOURCE_SERVER_TOKEN_CACHING_SECONDS: 1,
      }
      const settings = JSON.stringify({ port, toolkit })
      // The toolkit wants an audience with which the address of the request begins.
      const identifier = `http://127.0.0.1:${port}/`
      const address = `${identifier}photos`
      const words = { 'photos:read': 'See your photos', 'photos:write': 'Change your photos' }
      const scopes = Object.entries(words).map(([scope, description]) => ({ scope, description }))
      const resource = { identifier, scopes, client_id: api.client_id }
      expect((await asAdministrator(system, root, 'POST', '/admin/api/resources', resource)).status).toBe(201)
      await using ended = new AsyncDisposableStack()
      const server = await prepareServer(async () => ({
        path: python,
        argv: [join(import.meta.dirname, 'django_resource_server.py'), settings],
        probe: () => fetch(address),
      }))
      ended.defer(() => server.close())
      await server.start()

      const answerTo = (token: string) => fetch(address, { headers: { authorization: `Bearer ${token}` } })
      const own = basic(client.client_id, client.client_secret)
      const issue = async (parameters: Record<string, string>) => {
        const form = { grant_type: 'client_credentials', ...parameters }
        const issued = await system.form('/oauth/token', form, own)
        return ((await issued.json()) as { access_token: string }).access_token
      }
      const token = await issue({ scope: 'photos:read', resource: identifier })
      const answer = await answerTo(token)
      expect([answer.status, await answer.json()]).toEqual([200, { user: client.client_id }])
      expect((await system.form('/oauth/revoke', { token }, own)).status).toBe(200)
      await expect.poll(async () => (await answerTo(token)).status, { timeout: 10_000 }).toBe(403)
      const others = [{ scope: 'photos:write', resource: identifier }, { scope: 'read' }]
      for (const other of others) expect((await answerTo(await issue(other))).status).toBe(403)
    },
    starting,
  )
}
