import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { expectUsable } from '../support/usable.ts'
import { openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the tokens that an app would get for a user, in the console', () => {
  let setting: Setting
  let page: Page
  const user = { name: '', id: '' }
  const app = { id: '', name: `Notes app ${randomUUID()}` }
  const server = { id: '', identifier: `https://notes.example/${randomUUID()}` }
  beforeAll(async () => {
    setting = await startSetting({ OAUTH2_PROFILE: 'openid' })
    page = await openConsole(setting, '/admin/users')
    user.name = await setting.addUser()
    const [row] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      user.name,
    ])
    user.id = row?.id ?? ''
    const [read, write] = ['read', 'write'].map((scope) => ({ scope: `notes:${scope}`, description: scope }))
    const added = await send('POST', '/admin/api/resources', {
      ...{ identifier: server.identifier, name: 'Notes', scopes: [read, write], scopes_by_role: true },
      ...{ roles: [{ name: 'reader', scopes: ['notes:read'] }], token_claims: ['roles'] },
    })
    server.id = String(added.resource_id)
    const created = await send('POST', '/admin/api/clients', {
      ...{ client_name: app.name, redirect_uris: ['https://notes.example/callback'] },
      ...{ scope: 'openid profile roles notes:read notes:write', roles_of: server.identifier },
    })
    app.id = String(created.client_id)
  })
  afterAll(() => setting?.stop())

  const send = (method: string, path: string, body: object): Promise<Record<string, unknown>> =>
    page.evaluate(
      async ([method, path, body]) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(path, { method, headers, body: JSON.stringify(body) })
        return answer.json()
      },
      [method, path, body] as const,
    )
  const main = () => page.getByRole('main')
  const show = () => main().getByRole('button', { name: 'Show', exact: true }).click()

  /** Searches in an input with the keyboard alone, and takes what is found. */
  async function choose(label: string, text: string): Promise<void> {
    const input = page.getByRole('combobox', { name: label, exact: true })
    await input.fill(text)
    await page.getByRole('option').filter({ hasText: text }).first().waitFor()
    await input.press('ArrowDown')
    await input.press('Enter')
    await input.press('Escape')
  }

  /** The claims that a panel shows. */
  async function claimsIn(title: string): Promise<Record<string, unknown>> {
    const panel = main().locator('.mantine-Paper-root', {
      has: page.getByRole('heading', { name: title, exact: true }),
    })
    return JSON.parse(await panel.locator('pre').innerText())
  }

  test('says why there would be none, and then their scope and claims, at an address that shows the same', async () => {
    await page.goto(`/admin/users/${user.id}`)
    await page.getByRole('tab', { name: 'Token preview' }).click()
    await main().getByText('Choose an app to see its tokens.').waitFor()
    await choose('App', app.name)
    await choose('Resource servers', server.identifier)
    await page.getByLabel('Scope', { exact: true }).fill('openid profile roles notes:read notes:write')
    await show()
    await main().getByText('The app would get no tokens.').waitFor()
    await main().getByText('access_denied').waitFor()

    await send('PATCH', `/admin/api/users/${user.id}/roles`, {
      give: [{ resource_id: server.id, role: 'reader' }],
    })
    await page.reload()
    await main().getByRole('heading', { name: 'Access token' }).waitFor()
    expect(await claimsIn('Access token')).toMatchObject({
      ...{ sub: user.id, client_id: app.id, aud: server.identifier, roles: ['reader'] },
      scope: 'openid profile roles notes:read',
    })
    expect(await claimsIn('ID token')).toMatchObject({ sub: user.id, aud: app.id, roles: ['reader'] })
    await main().getByText('Asked for, and not given').waitFor()
    await main().getByText('None: userinfo refuses an access token that is for a resource server.').waitFor()
    await main().getByText('notes:write', { exact: true }).waitFor()
    await expect
      .poll(() => page.getByRole('combobox', { name: 'App', exact: true }).inputValue())
      .toBe(app.name)
    await main().getByText(server.identifier, { exact: true }).first().waitFor()
    await expectUsable(page, [390, 768, 1280])
    expect(setting.complaints).toEqual([])
  })

  test('without openid there is no ID token, and the page says so', async () => {
    const query = new URLSearchParams({ tab: 'preview', client_id: app.id, scope: 'roles' })
    await page.goto(`/admin/users/${user.id}?${query}`)
    await main().getByText('None: the scope has no openid.').first().waitFor()
    expect(await claimsIn('Access token')).toMatchObject({ scope: 'roles' })
    await page.getByLabel('Scope', { exact: true }).fill('openid')
    await show()
    await page.waitForURL(/scope=openid/)
    await expect.poll(async () => (await claimsIn('Access token')).scope).toBe('openid')
    await page.goBack()
    await main().getByText('None: the scope has no openid.').first().waitFor()
    await expect.poll(() => page.getByLabel('Scope', { exact: true }).inputValue()).toBe('roles')
  })

  test('groups are switched on, so no page says that they are not', async () => {
    await page.goto('/admin/groups')
    await main().getByRole('link', { name: 'Create group' }).first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await main().getByText('switched off').count()).toBe(0)
  })
})
