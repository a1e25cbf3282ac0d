import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logIn, type Setting, startSetting } from '../support/setting.ts'
import { heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the console, interrupted', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin')
  })
  afterAll(() => setting?.stop())

  const registered = (client_name: string) =>
    setting.system.register({ client_name, grant_types: ['client_credentials'], scope: 'read' })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('leads to the login and back to the same page', async () => {
    const own = await setting.newPage()
    await own.goto('/admin/clients?search=ann&sort=client_name')
    await logIn(own, 'admin')
    await own.waitForURL('**/admin/clients?search=ann&sort=client_name')
    await own.context().close()
  })

  test('keeps a filled form when the session is over, and saves it after the next login', async () => {
    const { client_id } = await registered('Kept')
    await page.goto(`/admin/clients/${client_id}?tab=settings`)
    await page.getByLabel('Scope').fill('write')
    await page.context().clearCookies({ name: 'gatehouse_session' })
    await button('Save changes').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toContain('Your session has ended')
    await button('I have logged in').click()
    expect(await dialog.getByRole('alert').innerText()).toContain('not logged in yet')
    const [login] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('link', { name: 'Log in again' }).click(),
    ])
    await logIn(login, 'admin')
    await login.waitForURL('**/account')
    await login.close()
    await button('I have logged in').click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Scope').inputValue()).toBe('write')
    await button('Save changes').click()
    await notice(page, 'Saved.')
  })

  test('keeps a filled form when reading in the background fails', async () => {
    const { client_id } = await registered('Background')
    await page.goto(`/admin/clients/${client_id}?tab=settings`)
    await page.getByLabel('Scope').fill('write')
    await page.route('**/admin/api/**', (route) =>
      route.fulfill({ status: 500, json: { error: 'server_error' } }),
    )
    // Renews everything that is on the page.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await button('Save changes').click()
    await page.getByRole('alert').first().waitFor()
    expect(await page.getByLabel('Scope').inputValue()).toBe('write')
    await page.unroute('**/admin/api/**')
    await button('Save changes').click()
    await notice(page, 'Saved.')
  })

  test('keeps a filled form, and a secret that is shown once, when the language and its direction change', async () => {
    const own = await openConsole(setting, '/admin/clients/new')
    const choose = async (language: string, direction: string) => {
      await own.locator('header').getByRole('button', { name: 'admin' }).click()
      await own.getByRole('dialog').getByRole('combobox').click()
      await own.getByRole('option', { name: language }).click()
      await own.keyboard.press('Escape')
      await expect.poll(() => own.locator('html').getAttribute('dir')).toBe(direction)
    }
    await own.getByLabel('Name', { exact: true }).fill('Kept in Arabic')
    await own.getByLabel('Redirect URIs').fill('https://kept.example/callback')
    await choose('العربية', 'rtl')
    await choose('English', 'ltr')
    expect(await own.getByLabel('Name', { exact: true }).inputValue()).toBe('Kept in Arabic')
    await own.getByRole('button', { name: 'Create client' }).click()
    const shownOnce = own.getByText('Copy it now. It is not shown again.')
    await shownOnce.waitFor()
    await choose('العربية', 'rtl')
    await choose('English', 'ltr')
    expect(await shownOnce.count()).toBe(1)
    await own.context().close()
  })

  test('logs out for good', async () => {
    const own = await openConsole(setting, '/admin')
    await own.getByRole('button', { name: 'Menu of admin' }).click()
    await own.getByRole('button', { name: 'Log out' }).click()
    await own.waitForURL((url) => !url.pathname.startsWith('/admin'))
    await own.goto('/admin')
    expect(new URL(own.url()).pathname).toBe('/auth/login')
    await own.context().close()
  })

  test('asks before it loses what was typed', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name', { exact: true }).fill('Half done')
    const question = new Promise<string>((resolve) =>
      page.once('dialog', (dialog) => void dialog.dismiss().then(() => resolve(dialog.message()))),
    )
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
    expect(await question).toContain('You have changes that are not saved.')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Half done')
    page.once('dialog', (dialog) => void dialog.accept())
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click()
    await heading(page, 'Users')
  })

  test('says that the server does not answer, and goes on when it does', async () => {
    const list = '**/admin/api/clients?**'
    await page.route('**/admin/api/clients', (route) => route.abort())
    await page.goto('/admin/clients')
    await page.getByText('The server does not answer').waitFor({ timeout: 15_000 })
    await page.unroute('**/admin/api/clients')
    await button('Try again').click()
    await page.locator('tbody tr').first().waitFor()

    await page.route(list, (route) =>
      route.fulfill({
        status: 503,
        json: { error: 'temporarily_unavailable', error_description: 'Not now.' },
      }),
    )
    await page.getByRole('searchbox').fill('slow')
    await page.getByText('Not now.').waitFor({ timeout: 15_000 })
    await page.unroute(list)
  })

  test('shows what it has while a slow server works', async () => {
    await registered('Snail')
    await page.goto('/admin/clients')
    await page.locator('tbody tr').first().waitFor()
    await page.route('**/admin/api/clients?**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await route.continue()
    })
    await page.getByRole('searchbox').fill('Snail')
    await page.locator('[aria-busy=true]').waitFor()
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(0)
    await page.locator('[aria-busy=false]').waitFor()
    await page.unroute('**/admin/api/clients?**')
  })

  test('says that something is not there, and leads on', async () => {
    await page.goto('/admin/clients/client_none')
    await page.getByText('It does not exist, or it was deleted.').waitFor()
    await page.getByRole('link', { name: 'Clients' }).click()
    await heading(page, 'Clients')
  })

  test('without a script, a page says so and names the command line', async () => {
    const plain = await setting.newPage({ javaScriptEnabled: false })
    await plain.goto('/auth/login?return_to=/admin')
    await logIn(plain, 'admin')
    expect(await plain.locator('body').innerText()).toContain('The console needs JavaScript')
    expect(await plain.locator('body').innerText()).toContain('./gatehouse --help')
    await plain.context().close()
  })
})
