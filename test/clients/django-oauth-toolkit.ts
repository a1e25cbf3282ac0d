import { join } from 'node:path'
import { basic, issueToken } from '@gatehouse/test/oauth'
import { freePorts, prepareServer } from '@gatehouse/test/server-process'
import { expect, test } from 'vitest'
import type { Provider } from '../e2e/openid-world.ts'

/** In milliseconds: on a busy machine the app takes long to start. */
const starting = 60_000

/**
 * Tests Django OAuth Toolkit as a resource server.
 * @param python a Python that has it
 */
export function djangoOauthToolkit(there: () => Provider, python: string): void {
  test(
    'introspects access tokens: one passes, and none that is revoked or lacks the scope',
    async () => {
      const { system, createClient } = there()
      const [port = 0] = await freePorts(1)
      const metadata = { grant_types: ['client_credentials'], redirect_uris: [], scope: 'read write' }
      const [api, client] = [await createClient(metadata), await createClient(metadata)]
      const toolkit = {
        RESOURCE_SERVER_INTROSPECTION_URL: `${system.baseUrl}/oauth/introspect`,
        RESOURCE_SERVER_INTROSPECTION_CREDENTIALS: [api.client_id, api.client_secret],
        // By default it does not ask about a token again for ten hours. With 0 it accepts none at all.
        RESOURCE_SERVER_TOKEN_CACHING_SECONDS: 1,
      }
      const settings = JSON.stringify({ issuer: system.baseUrl, port, toolkit })
      const address = `http://127.0.0.1:${port}/photos`
      await using ended = new AsyncDisposableStack()
      const server = await prepareServer(async () => ({
        path: python,
        argv: [join(import.meta.dirname, 'django_resource_server.py'), settings],
        probe: () => fetch(address),
      }))
      ended.defer(() => server.close())
      await server.start()

      const answerTo = (token: string) => fetch(address, { headers: { authorization: `Bearer ${token}` } })
      const token = await issueToken(system, client, 'read')
      const answer = await answerTo(token)
      expect([answer.status, await answer.json()]).toEqual([200, { user: client.client_id }])
      const own = basic(client.client_id, client.client_secret)
      expect((await system.form('/oauth/revoke', { token }, own)).status).toBe(200)
      await expect.poll(async () => (await answerTo(token)).status, { timeout: 10_000 }).toBe(403)
      expect((await answerTo(await issueToken(system, client, 'write'))).status).toBe(403)
    },
    starting,
  )
}
