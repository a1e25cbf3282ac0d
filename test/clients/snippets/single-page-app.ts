import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@gatehouse/test/browser/browser'
import { prepareServer } from '@gatehouse/test/servers/server-process'
import { sharedAdmin } from '@gatehouse/test/system'
import { expect, test } from 'vitest'
import { refusedOrigin } from '../../../services/console/src/start/kinds.ts'
import type { Workshop } from './workshop.ts'

const vite = join(fileURLToPath(import.meta.resolve('vite/package.json')), '../bin/vite.js')
const document =
  '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/app.js"></script>'

/** Runs the code of a single-page app in Chromium. */
export function singlePageAppSnippets(there: () => Workshop): void {
  test('logs users in to a single-page app', async () => {
    const { origin, create, save, installation } = there()
    const redirectUri = `${origin}/callback`
    expect(refusedOrigin('spa', redirectUri, installation)).toBeUndefined()
    const { code } = await create('spa', { redirectUri })
    await save('page/app.js', code.JavaScript ?? '')
    const directory = dirname(await save('page/index.html', document))
    await using ended = new AsyncDisposableStack()
    const server = await prepareServer(async () => ({
      path: process.execPath,
      argv: [vite, directory, '--host=127.0.0.1', `--port=${new URL(origin).port}`, '--strictPort'],
      probe: () => fetch(origin),
    }))
    ended.defer(server.close)
    await server.start()
    const browser = await launchBrowser()
    ended.defer(() => browser.close())
    const page = await browser.newPage()
    page.setDefaultTimeout(20_000)
    const says = (text: string | RegExp) =>
      expect.poll(() => page.textContent('body'), { timeout: 20_000 }).toMatch(text)

    await page.goto(origin)
    await page.fill('#username', sharedAdmin.username)
    await page.fill('#password', sharedAdmin.password)
    await page.click('button[type=submit]')
    await page.click('button[value=allow]')
    const openid = installation.server.userinfo_endpoint !== undefined
    await says(
      openid ? `Hello ${sharedAdmin.username}!` : /^Logged in\. The access token is valid for \d+ seconds\.$/,
    )
    expect(page.url()).toBe(`${origin}/`)

    await page.goto(`${origin}/callback?error=access_denied&state=of-somebody-else`)
    await says(/^The login failed: /)
  })

  test('says of an origin that its pages may not call the server', async () => {
    const { installation } = there()
    const { cors_origins: allowed, client_origins: ofClients } = installation.status
    expect(refusedOrigin('spa', 'https://other.example/callback', installation)).toBe(
      allowed.includes('*') || ofClients ? undefined : 'https://other.example',
    )
    expect(refusedOrigin('spa', 'com.example.app:/callback', installation)).toBe(
      allowed.includes('*') ? undefined : 'null',
    )
    expect(refusedOrigin('web', 'https://other.example/callback', installation)).toBeUndefined()
  })
}
