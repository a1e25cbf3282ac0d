import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '@gatehouse/test/browser/browser'
import { freePorts, prepareServer } from '@gatehouse/test/servers/server-process'
import { sharedAdmin } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Provider } from '../../e2e/openid/openid-world.ts'
import { createAppClient } from './tutorial-app.ts'

const vite = join(fileURLToPath(import.meta.resolve('vite/package.json')), '../bin/vite.js')

/** The data about the user that oidc-client-ts keeps in the session storage. */
type StoredUser = {
  expires_at: number
  access_token: string
  refresh_token: string
  profile: Record<string, unknown>
}

/**
 * Reads the stored user.
 * @param change the fields to change
 */
function storedUser(page: Page, change: Partial<StoredUser> = {}): Promise<StoredUser> {
  return page.evaluate((change) => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:')) ?? ''
    const user = { ...JSON.parse(sessionStorage.getItem(key) ?? '{}'), ...change }
    sessionStorage.setItem(key, JSON.stringify(user))
    return user
  }, change)
}

/** Tests the app of docs/apps/tutorial-single-page-app.md, as it stands there, in Chromium and on another origin. */
export function viteApp(there: () => Provider): void {
  test('logs a user in, refreshes, and logs them out', async () => {
    const { system } = there()
    const [port] = await freePorts(1)
    const origin = `http://127.0.0.1:${port}`
    const { client_id } = await createAppClient(there(), origin, {
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    })
    await using ended = new AsyncDisposableStack()
    const server = await prepareServer(async () => ({
      path: process.execPath,
      argv: [vite, join(import.meta.dirname, 'vite-app'), '--host=127.0.0.1', `--port=${port}`],
      environment: { VITE_ISSUER: system.baseUrl, VITE_CLIENT_ID: client_id },
      probe: () => fetch(origin),
    }))
    ended.defer(server.close)
    await server.start()
    const browser = await launchBrowser()
    ended.defer(() => browser.close())
    const page = await browser.newPage()
    page.setDefaultTimeout(10_000)
    const says = (text: string) =>
      expect.poll(() => page.textContent('#greeting'), { timeout: 10_000 }).toBe(text)

    await page.goto(origin)
    await says('Nobody is logged in.')
    await page.click('#log-in')
    await page.fill('#username', sharedAdmin.username)
    await page.fill('#password', sharedAdmin.password)
    await page.click('button[type=submit]')
    await page.click('button[value=allow]')
    await says(`Hello ${sharedAdmin.username}!`)
    expect(page.url()).toBe(`${origin}/`)
    const user = await storedUser(page, { expires_at: 1 })
    expect(user.profile).toMatchObject({ iss: system.baseUrl, aud: client_id })

    // The library refuses a refreshed ID token of another user or another login.
    await page.reload()
    await says(`Hello ${sharedAdmin.username}!`)
    const refreshed = await storedUser(page)
    expect(refreshed.refresh_token).not.toBe(user.refresh_token)

    await page.click('#log-out')
    await says('Nobody is logged in.')
    expect(page.url()).toBe(`${origin}/`)
    const authorization = `Bearer ${refreshed.access_token}`
    expect((await system.request('/oauth/userinfo', { headers: { authorization } })).status).toBe(401)

    await page.goto(`${origin}/callback?error=access_denied&state=of-somebody-else`)
    await says('The login failed: No matching state found in storage.')
  })
}
