import { program } from '@gatehouse/test/programs/programs'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('"Try it out" on the API page', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  /** Opens the API page, and returns a function that opens an operation for trying out. */
  async function apiPage(options: BrowserContextOptions = {}) {
    const page = await setting.newPage(options)
    await page.goto('/swagger-ui')
    // The page makes itself of a large document, which takes long on a busy machine.
    await page.locator('.opblock-tag').first().waitFor({ timeout: 40_000 })
    const open = async (group: string, path: string) => {
      const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) })
      const closed = page.locator(`.opblock-tag[data-tag="${group}"][data-is-open="false"]`)
      if ((await closed.count()) > 0) await closed.click()
      await operation.locator('.opblock-summary-control').click()
      return operation
    }
    return { page, open }
  }

  const fill = (operation: Locator, parameter: string, value: string) =>
    operation.locator(`[data-property-name="${parameter}"] input[type=text]`).fill(value)

  /** Clicks "Execute", and returns what was sent and received. */
  async function execute(page: Page, operation: Locator, method = 'POST') {
    const answered = page.waitForResponse((response) => response.request().method() === method)
    await operation.getByRole('button', { name: 'Execute' }).click()
    const response = await answered
    const form = new URLSearchParams(response.request().postData() ?? '')
    return { status: response.status(), sent: Object.fromEntries(form), body: await response.json() }
  }

  test('registers a client, gets, introspects and revokes a token, and sends only fields that were filled in', async () => {
    const { page, open } = await apiPage()
    const registered = await execute(page, await open('Clients', '/clients/register'))
    expect(registered.status).toBe(201)
    const { client_id, client_secret } = registered.body
    const asClient = async (operation: Locator) => {
      await fill(operation, 'client_id', client_id)
      await fill(operation, 'client_secret', client_secret)
    }

    const token = await open('OAuth', '/oauth/token')
    await asClient(token)
    const issued = await execute(page, token)
    expect(issued).toMatchObject({ status: 200, body: { token_type: 'Bearer', scope: 'read write' } })
    expect(issued.sent).toEqual({ grant_type: 'client_credentials', client_id, client_secret })
    const { access_token } = issued.body

    const introspection = await open('OAuth', '/oauth/introspect')
    await fill(introspection, 'token', access_token)
    const active = await execute(page, introspection)
    expect(active).toMatchObject({ status: 200, body: { active: true, client_id } })
    expect(active.sent).toEqual({ token: access_token })

    const revocation = await open('OAuth', '/oauth/revoke')
    await fill(revocation, 'token', access_token)
    await asClient(revocation)
    expect(await execute(page, revocation)).toMatchObject({
      status: 200,
      sent: { token: access_token, client_id, client_secret },
    })
    expect((await execute(page, introspection)).body).toEqual({ active: false })
  })

  test('has the colors of the reader’s system, and uses the client credentials from "Authorize"', async () => {
    const { page, open } = await apiPage({ colorScheme: 'dark' })
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    expect(await background()).toBe('rgb(28, 32, 34)')
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(background).not.toBe('rgb(28, 32, 34)')

    const { client_id, client_secret } = await setting.system.register()
    await page.getByRole('button', { name: 'Authorize', exact: true }).click()
    const basic = page.locator('.auth-container', { hasText: 'clientSecretBasic' })
    await basic.getByLabel('Username').fill(client_id)
    await basic.getByLabel('Password').fill(client_secret)
    await basic.getByRole('button', { name: 'Apply credentials' }).click()
    await basic.getByRole('button', { name: 'Close' }).click()

    const issued = await execute(page, await open('OAuth', '/oauth/token'))
    expect(issued).toMatchObject({ status: 200, sent: { grant_type: 'client_credentials' } })
  })

  test('uses the administrator’s session, and then a token for the administration that was issued here', async () => {
    const metadata = {
      client_name: 'Robot',
      grant_types: ['client_credentials'],
      scope: 'admin:clients:read',
    }
    const login = await openConsole(setting, '/admin')
    const created = await login.request.post('/admin/api/clients', { data: metadata })
    const { client_id, client_secret } = await created.json()
    const { page, open } = await apiPage({ storageState: await login.context().storageState() })
    const me = await open('Admin', '/admin/api/me')
    const asked = () => execute(page, me, 'GET')
    expect(await asked()).toMatchObject({ status: 200, body: { kind: 'user', name: 'admin' } })

    const token = await open('OAuth', '/oauth/token')
    await fill(token, 'client_id', client_id)
    await fill(token, 'client_secret', client_secret)
    expect(await execute(page, token)).toMatchObject({ status: 200, body: { scope: 'admin:clients:read' } })
    expect(await asked()).toMatchObject({ status: 200, body: { kind: 'client', id: client_id } })
  })
})
