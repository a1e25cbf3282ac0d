import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { confirmAction, heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('clients in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin/clients')
  })
  afterAll(() => setting?.stop())

  const registered = (name: string, more: object = {}) =>
    setting.system.register({
      client_name: name,
      grant_types: ['client_credentials'],
      scope: 'read',
      ...more,
    })
  async function isDisabled(clientId: string) {
    const [row] = await setting.sql<{ disabled: boolean }>(
      'select disabled_at is not null as disabled from clients.clients where client_id = $1',
      [clientId],
    )
    return row?.disabled
  }
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('a form says what is wrong while it is filled in, and gives the secret once', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name', { exact: true }).fill('Bakery')
    await button('Create client').click()
    // A fault that only the server knows stands at its field, too.
    await page.getByText(/^is required/).waitFor()
    await expect.poll(() => page.getByLabel('Redirect URIs').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Redirect URIs').fill('https://bakery.example/callback')
    await page.getByText('More settings').click()
    await page.getByLabel('Home page').fill('bakery.example')
    await page.getByLabel('Logo', { exact: true }).focus()
    await expect.poll(() => page.getByRole('main').innerText()).toContain('Enter a whole address')
    await page.getByLabel('Home page').fill('https://bakery.example')
    await button('Create client').click()
    await page.getByText('Copy it now. It is not shown again.').waitFor()
    await page.getByRole('link', { name: 'Open the client' }).click()
    expect(await heading(page, 'Bakery')).toBe('Bakery')
    await page.getByText('https://bakery.example').first().waitFor()
    await expect.poll(() => page.getByText('Copy it now').count()).toBe(0)
  })

  test('a list says in its address what it shows, and finds parts of names', async () => {
    for (const name of ['Zebra one', 'Zebra two']) await registered(name)
    await page.goto('/admin/clients')
    await page.getByRole('searchbox').fill('ebra')
    await page.waitForURL(/search=ebra/)
    await button('Name').click()
    await page.waitForURL(/sort=client_name/)
    const rows = page.locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    await expect.poll(() => rows.first().innerText()).toContain('Zebra one')
    await button('Name').click()
    await page.waitForURL(/sort=-client_name/)
    await page.reload()
    await expect.poll(() => rows.first().innerText()).toContain('Zebra two')
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForURL((url) => !url.search.includes('search'))
  })

  test('what is disabled can be undone at once', async () => {
    const { client_id } = await registered('Undo me')
    await page.goto(`/admin/clients/${client_id}`)
    await button('Disable').click()
    await confirmAction(page, 'Disable')
    await notice(page, 'Undo me is disabled.')
    await button('Undo').click()
    await page.getByText('Undone.').waitFor()
    expect(await isDisabled(client_id)).toBe(false)
  })

  test('a change that came after somebody else’s shows both, and asks which counts', async () => {
    const { client_id } = await registered('Shared')
    const path = `/admin/clients/${client_id}?tab=settings`
    await page.goto(path)
    await page.getByLabel('Scope').fill('write')
    const other = await openConsole(setting, path)
    await other.getByLabel('Name', { exact: true }).fill('Renamed')
    await other.getByLabel('Scope').fill('profile')
    await other.getByRole('button', { name: 'Save changes' }).click()
    await notice(other, 'Saved.')
    await other.context().close()

    await button('Save changes').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toMatch(/Scope\s+profile\s+write/)
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await notice(page, 'Saved.')
    const [row] = await setting.sql('select client_name, scope from clients.clients where client_id = $1', [
      client_id,
    ])
    expect(row).toEqual({ client_name: 'Renamed', scope: 'write' })
  })

  test('a new secret stays in its dialog until somebody has copied it, and the previous one ends early', async () => {
    const { client_id: id, client_secret: old } = await registered('Rotated')
    await page.goto(`/admin/clients/${id}`)
    await button('New secret').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'New secret' }).click()
    await dialog.getByText('Copy it now. It is not shown again.').waitFor()
    const secret = await dialog.locator('code').innerText()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.isVisible()).toBe(true)
    expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBe(0)
    await confirmAction(page, 'I have copied it')
    expect(await page.content()).not.toContain(secret)

    const token = (client_secret: string) =>
      setting.system.form('/oauth/token', {
        ...{ grant_type: 'client_credentials', client_id: id, client_secret },
      })
    await expect.poll(async () => (await token(secret)).status, { timeout: 20_000 }).toBe(200)
    await expect.poll(async () => (await token(old)).status).toBe(200)
    const previous = page.getByRole('region', { name: 'Previous secret' })
    const current = page.getByRole('region', { name: 'Current secret' })
    await expect
      .poll(
        async () => {
          await page.reload()
          await current.waitFor()
          return `${await current.innerText()} ${await previous.innerText()}`
        },
        { timeout: 20_000 },
      )
      .not.toContain('Never used')
    await previous.getByRole('button', { name: 'End now' }).click()
    await expect.poll(() => dialog.innerText()).toContain('It was last used')
    await confirmAction(page, 'End now')
    await notice(page, 'The previous secret is no longer valid.')
    await expect.poll(async () => (await token(old)).status, { timeout: 20_000 }).toBe(401)
    expect((await token(secret)).status).toBe(200)
    await expect.poll(() => previous.count()).toBe(0)
  })

  test('a field that is wrong comes into sight', async () => {
    const { client_id } = await registered('Folded')
    await page.goto(`/admin/clients/${client_id}?tab=settings`)
    await button('More settings').click()
    await page.getByLabel('Home page').fill('no address')
    await button('More settings').click()
    await button('Save changes').click()
    await page.getByText('Enter a whole address').waitFor()
    await button('Discard changes').click()
  })

  test('what is deleted asks for its name, and says what ends', async () => {
    const { client_id } = await registered('Doomed')
    await page.goto(`/admin/clients/${client_id}`)
    await button('Delete').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toContain('All its tokens end at once.')
    const confirm = dialog.getByRole('button', { name: 'Delete' })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type Doomed to confirm').fill('Doomed')
    await confirm.click()
    await page.waitForURL('**/admin/clients')
    await page.goto(`/admin/clients/${client_id}`)
    await page.getByText('It does not exist, or it was deleted.').waitFor()
  })

  test('several are disabled at once, and a failure of one keeps none of the others', async () => {
    const [one, gone] = [await registered('Herd one'), await registered('Herd two')]
    await page.goto('/admin/clients?search=Herd')
    await page.getByLabel('Select all rows on this page').check()
    await setting.sql('delete from clients.clients where client_id = $1', [gone.client_id])
    await page.getByRole('button', { name: 'Disable' }).click()
    await confirmAction(page, 'Disable (2)')
    await page.getByText('1 of 2 failed.').waitFor()
    expect(await isDisabled(one.client_id)).toBe(true)
  })

  // Enter at once comes before anything was found; Enter at first sight may come while the next search hides what is in sight.
  test.each(['at once', 'at first sight'])(
    'Ctrl-K and Enter %s open a client by a part of its id, however slow the browser is',
    async (when) => {
      const { client_id } = await registered('Needle')
      await page.goto('/admin/clients')
      await heading(page, 'Clients')
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 6 })
      await page.keyboard.press('Control+K')
      await page.keyboard.type(client_id.slice(0, 20))
      if (when === 'at first sight') await page.getByRole('dialog').getByText(client_id).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/admin/clients/${client_id}`)
      await devtools.detach()
    },
  )

  test('Enter opens nothing that an earlier text found', async () => {
    const [first, second] = [await registered('Haystack'), await registered('Haybale')]
    await page.goto('/admin/clients')
    await heading(page, 'Clients')
    await page.keyboard.press('Control+K')
    await page.keyboard.type('Haystack')
    await page.getByRole('dialog').getByText(first.client_id).waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Haybale')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/admin/clients/${second.client_id}`)
  })

  test('the guide creates a service, and gets a first token', async () => {
    await page.goto('/admin/start')
    await page.getByRole('button', { name: /^Service/ }).click()
    await page.getByLabel('Name').fill('Nightly')
    await button('Create').click()
    await button('Get a token').click()
    await page.getByText(/^It works/).waitFor()
    await page.getByText(/^[\w-]+\.[\w-]+\.[\w-]+$/).waitFor()
    expect(await page.locator('pre').innerText()).toContain(`${setting.system.baseUrl}/oauth/token`)
  })

  test('the guide creates nothing whose identifier nobody typed', async () => {
    await page.goto('/admin/start?kind=resource')
    await page.getByLabel('Name').fill('Nobody’s')
    await page.getByLabel('What the scope allows').fill('Read orders')
    await button('Create').click()
    expect(await page.getByLabel('Identifier').inputValue()).toBe('')
    await expect.poll(() => page.locator('input:invalid').count()).toBe(1)
    await page.goto('/admin/clients?search=Nobody')
    await page.getByText('Nothing matches these filters.').waitFor()
  })
})
