import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { authorize, browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { expect, test } from 'vitest'
import { asAdministrator, createPerson, type Person, type Provider } from '../../e2e/openid/openid-world.ts'

/** The app behind the proxy: it answers with the headers that it got. */
async function startApp(): Promise<Server> {
  const app = createServer((request, response) => response.end(JSON.stringify(request.headers)))
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  return app
}

/** The options of the page docs/people/programs-that-read-groups.md, and those that a test needs besides. */
function optionsOf(settings: Record<string, string>): string[] {
  return Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
}

/**
 * Tests oauth2-proxy with an allowed group.
 * @param proxy the path of its program
 */
export function oauth2Proxy(there: () => Provider, proxy: string): void {
  test('lets in only people of the allowed group, as it is at each refresh', async () => {
    const { system, root, createClient } = there()
    const [port = 0] = await freePorts(1)
    const site = { baseUrl: `http://localhost:${port}` }
    const redirectUri = `${site.baseUrl}/oauth2/callback`
    const scope = 'openid profile email groups offline_access'
    const client = await createClient({ redirect_uris: [redirectUri], scope })
    const app = await startApp()
    await using ended = new AsyncDisposableStack()
    ended.defer(() => void app.close())
    const upstream = `http://127.0.0.1:${(app.address() as AddressInfo).port}`
    const server = await prepareServer(async () => ({
      path: proxy,
      argv: optionsOf({
        provider: 'oidc',
        'oidc-issuer-url': system.baseUrl,
        'client-id': client.client_id,
        'client-secret': client.client_secret,
        'redirect-url': redirectUri,
        'code-challenge-method': 'S256',
        scope,
        'oidc-groups-claim': 'groups',
        'allowed-group': 'Notes readers',
        'email-domain': '*',
        'cookie-secret': 'a secret of sixteen bytes, or 32'.slice(0, 32),
        'cookie-secure': 'false',
        'cookie-refresh': '1s',
        'pass-user-headers': 'true',
        'skip-provider-button': 'true',
        'http-address': `127.0.0.1:${port}`,
        upstream,
      }),
      probe: () => fetch(`${site.baseUrl}/ping`),
    }))
    ended.defer(() => server.close())
    await server.start()

    const created = await asAdministrator(system, root, 'POST', '/admin/api/groups', {
      name: 'Notes readers',
    })
    const { group_id: groupId } = (await created.json()) as { group_id: string }
    const change = async (members: Record<string, string[]>) => {
      const path = `/admin/api/groups/${groupId}/members`
      expect((await asAdministrator(system, root, 'PATCH', path, members)).status).toBe(200)
    }
    const idOf = async ({ email }: Person) => {
      const found = await asAdministrator(system, root, 'GET', `/admin/api/users?search=${email}`)
      return ((await found.json()) as { items: { user_id: string }[] }).items[0]?.user_id ?? ''
    }
    const logIn = async ({ jar }: Person) => {
      const cookies: CookieJar = new Map()
      const leaving = await browse(site, cookies, '/notes')
      const back = await authorize(system, jar, new URL(leaving.headers.get('location') ?? ''))
      return { cookies, answer: await browse(site, cookies, back) }
    }

    const [reader, stranger] = [await createPerson(there()), await createPerson(there())]
    const readerId = await idOf(reader)
    await change({ add: [readerId] })
    expect((await logIn(stranger)).answer.status).toBe(403)

    const { cookies, answer } = await logIn(reader)
    expect(answer.status).toBe(302)
    const page = await browse(site, cookies, '/notes')
    expect(await page.json()).toMatchObject({
      'x-forwarded-email': reader.email,
      'x-forwarded-groups': 'Notes readers',
    })

    await change({ remove: [readerId] })
    await expect
      .poll(async () => (await browse(site, cookies, '/notes')).status, { timeout: 20_000 })
      .toBe(403)
  })
}
