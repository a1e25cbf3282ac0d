import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { authorize, browse, type CookieJar } from '@gatehouse/test/browser/browser-login'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { expect, test } from 'vitest'
import { createPerson, type Provider } from '../../e2e/openid/openid-world.ts'

const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'auth_openidc']
const library = '/usr/lib/apache2/modules'

/** Apache's configuration: who is logged in sees the page, and their claims are in its headers, as a program behind Apache gets them. */
const configurationOf = (directory: string, port: number, settings: Record<string, string>) => `
ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/pid
ErrorLog ${directory}/errors
User www-data
Group www-data
${modules.map((name) => `LoadModule ${name}_module ${library}/mod_${name}.so`).join('\n')}
# Node's fetch says that it is a script, and a script is answered 401 instead of a redirect to the login.
RequestHeader unset Sec-Fetch-Mode early
DocumentRoot ${directory}/pages
${Object.entries(settings)
  .map(([name, value]) => `${name} "${value}"`)
  .join('\n')}
<Location />
  AuthType openid-connect
  Require valid-user
  Header set x-name "%{OIDC_CLAIM_name}e"
  Header set x-email "%{OIDC_CLAIM_email}e"
</Location>
`

/**
 * Tests mod_auth_openidc.
 * @param apache the path of Debian's Apache
 */
export function modAuthOpenidc(there: () => Provider, apache: string): void {
  test('logs a user in, and passes their claims on', async () => {
    const { system, createClient } = there()
    const [port = 0] = await freePorts(1)
    const app = { baseUrl: `http://localhost:${port}` }
    const redirectUri = `${app.baseUrl}/callback`
    const client = await createClient({ redirect_uris: [redirectUri] })
    const settings = {
      OIDCProviderMetadataURL: `${system.baseUrl}/.well-known/openid-configuration`,
      OIDCClientID: client.client_id,
      OIDCClientSecret: client.client_secret,
      OIDCRedirectURI: redirectUri,
      OIDCCryptoPassphrase: 'a secret of the app',
      OIDCScope: 'openid profile email',
      OIDCPKCEMethod: 'S256',
    }
    await using ended = new AsyncDisposableStack()
    const server = await prepareServer(async (directory) => {
      const configuration = join(directory, 'apache.conf')
      await writeFile(configuration, configurationOf(directory, port, settings))
      await mkdir(join(directory, 'pages'))
      await writeFile(join(directory, 'pages', 'page'), 'a page')
      // Apache's workers are another user.
      await chmod(directory, 0o755)
      const argv = ['-DFOREGROUND', '-f', configuration]
      return { path: apache, argv, probe: () => fetch(app.baseUrl, { redirect: 'manual' }) }
    })
    ended.defer(() => server.close())
    await server.start()

    const { name, email, jar } = await createPerson(there())
    const cookies: CookieJar = new Map()
    const leaving = await browse(app, cookies, '/page')
    const returned = await authorize(system, jar, new URL(leaving.headers.get('location') ?? ''))
    const back = await browse(app, cookies, returned)
    expect([back.status, back.headers.get('location')]).toEqual([302, `${app.baseUrl}/page`])
    const page = await browse(app, cookies, '/page')
    expect([page.status, await page.text()]).toEqual([200, 'a page'])
    expect([page.headers.get('x-name'), page.headers.get('x-email')]).toEqual([name, email])
  })
}
