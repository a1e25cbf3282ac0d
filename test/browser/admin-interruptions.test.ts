import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askForToken, message, openClient, openUser, problem, rows } from './administration.ts'
import { heading, loggedInPage, logIn, type Setting, startSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('interrupted administration', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await loggedInPage(setting, 'admin')
  })
  afterAll(() => setting?.stop())

  const isThere = async (clientId: string) =>
    (await setting.sql('select from clients.clients where client_id = $1', [clientId])).length === 1

  test('leads to the login and back to the confirmation when the session ends, and does nothing', async () => {
    const own = await loggedInPage(setting, 'admin')
    const { client_id } = await setting.app.register({ client_name: 'Kept' })
    await own.goto(`/admin/clients/${client_id}/delete`)
    await own.context().clearCookies({ name: 'gatehouse_session' })
    await own.getByRole('button', { name: 'Delete client' }).click()
    expect(await heading(own)).toBe('Log in')
    expect(await isThere(client_id)).toBe(true)
    await logIn(own, 'admin')
    expect(await heading(own)).toBe('Delete Kept?')
    await own.getByRole('button', { name: 'Delete client' }).click()
    await own.waitForURL('**/*done=client-deleted')
    expect(await isThere(client_id)).toBe(false)

    await own.context().clearCookies({ name: 'gatehouse_session' })
    await own.goto('/admin/clients?search=kept')
    expect(await heading(own)).toBe('Log in')
    await logIn(own, 'admin')
    await own.waitForURL('**/admin/clients?search=kept')
    await own.context().close()
  })

  test('shows that a deleted client is gone after the back button, with a link to the list', async () => {
    const { client_id } = await setting.app.register()
    await openClient(page, { client_id })
    await page.getByRole('link', { name: 'Delete…' }).click()
    await page.getByRole('button', { name: 'Delete client' }).click()
    await page.waitForURL('**/*done=client-deleted')
    await page.goBack()
    expect(await heading(page)).toBe('Nothing is here')
    await page.goBack()
    expect(await heading(page)).toBe('Nothing is here')
    expect(await page.getByRole('main').innerText()).toContain('There is no such client.')
    await page.getByRole('link', { name: 'Back to Clients' }).click()
    expect(await heading(page)).toBe('Clients')
  })

  test.each([
    ['/admin/clients/client_none', 'There is no such client.', 'Back to Clients'],
    ['/admin/clients/client_none/edit', 'There is no such client.', 'Back to Clients'],
    ['/admin/clients/client_none/secret', 'There is no such client.', 'Back to Clients'],
    ['/admin/users/none', 'There is no such user.', 'Back to Users'],
    ['/admin/users/00000000-0000-4000-8000-000000000000/delete', 'There is no such user.', 'Back to Users'],
    ['/admin/tokens?cursor=none', '', 'Back to Tokens'],
    ['/admin/audit?cursor=none', '', 'Back to Audit'],
  ])('%s is an error page that leads back', async (path, said, link) => {
    const answer = await page.goto(path)
    expect(answer?.status()).toBe(said === '' ? 400 : 404)
    expect(await page.getByRole('main').innerText()).toContain(said)
    await page.getByRole('link', { name: link }).click()
    expect(new URL(page.url()).pathname).toBe(path.split(/[?/]/, 3).join('/'))
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  test('does something once when its confirmation is clicked twice', async () => {
    const client = await setting.system.register()
    await page.goto(`/admin/clients/${client.client_id}/secret`)
    await page.getByRole('button', { name: 'Create new secret' }).dblclick()
    const client_secret = await page.getByRole('status', { name: 'Client secret' }).innerText()
    expect((await askForToken(setting, { ...client, client_secret })).status).toBe(200)
    // The previous secret is still valid: a second rotation would have ended it.
    expect((await askForToken(setting, client)).status).toBe(200)
    await page.goto(`/admin/audit?target=${client.client_id}`)
    expect((await rows(page)).map(([, , , what]) => what)).toEqual(['client.secret.rotate'])
  })

  test('reports success both times when a deletion is sent twice without JavaScript', async () => {
    const own = await loggedInPage(setting, 'admin', { javaScriptEnabled: false })
    const second = await own.context().newPage()
    const { client_id } = await setting.app.register()
    for (const tab of [own, second]) await tab.goto(`/admin/clients/${client_id}/delete`)
    for (const tab of [own, second]) {
      await tab.getByRole('button', { name: 'Delete client' }).click()
      expect(await message(tab)).toContain('Client deleted')
    }
    await own.goto(`/admin/audit?target=${client_id}`)
    expect((await rows(own)).map(([, , , what]) => what)).toEqual(['client.delete'])
    await own.goto('/admin')
    expect(await own.getByRole('main').innerText()).toContain('The plots need JavaScript')
    await own.context().close()
  })

  test('refuses a public client when the server does not allow them', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name').fill('Phone')
    await page.getByLabel('Redirect URIs').fill('com.example.app:/cb')
    await page.getByLabel('Public').check()
    await page.getByRole('button', { name: 'Create client' }).click()
    expect(await problem(page)).toContain('This server has no public clients')
    expect(await page.getByLabel('Public').isChecked()).toBe(true)
  })

  test('refuses a user who is no longer an administrator at the next click', async () => {
    const username = await setting.addUser()
    await setting.sql('update identity.users set is_admin = true where username = $1', [username])
    const own = await loggedInPage(setting, username)
    await own.goto('/admin/clients')
    await setting.sql('update identity.users set is_admin = false where username = $1', [username])
    await own.getByRole('link', { name: 'New client' }).click()
    expect(await heading(own)).toBe('You may not do this')
    await own.getByRole('link', { name: 'Go to your account' }).click()
    expect(await heading(own)).toBe('Your account')
  })

  test.each(['localhost', '127.0.0.1'])('refuses forms that a page at %s posts', async (host) => {
    const { client_id } = await setting.app.register()
    const userId = await openUser(page, setting, await setting.addUser())
    const paths = [
      `/admin/clients/${client_id}/delete`,
      `/admin/clients/${client_id}/disable`,
      `/admin/clients/${client_id}/secret`,
      `/admin/clients/${client_id}/edit`,
      '/admin/clients/new',
      '/admin/users/new',
      `/admin/users/${userId}/delete`,
      `/admin/users/${userId}/role`,
      `/admin/users/${userId}/password`,
      '/admin/tokens/revoke',
      '/admin/keys/HS256/rotate',
    ]
    let html = ''
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    }).listen(0)
    await once(server, 'listening')
    const before = await setting.sql('select entry_id from clients.audit_log')
    const tab = await page.context().newPage()
    for (const path of paths) {
      html = `<form method="post" action="${setting.system.baseUrl}${path}"><input name="overlap" value="0">
          </form><script>document.forms[0].submit()</script>`
      const answer = tab.waitForResponse(`**${path}`)
      await tab.goto(`http://${host}:${(server.address() as AddressInfo).port}/`)
      const status = (await answer).status()
      // With SameSite=Lax, forms of another site come without the cookie; those of another port have it and are refused.
      expect([path, status]).toEqual([path, host === 'localhost' ? 403 : 303])
    }
    await tab.close()
    server.closeAllConnections()
    server.close()
    expect(await setting.sql('select entry_id from clients.audit_log')).toEqual(before)
    expect(await isThere(client_id)).toBe(true)
  })

  const hostile: [what: string, name: string][] = [
    ['markup', '<script>document.title="gone"</script><img src=x onerror=alert(1)>'],
    ['quotes', `"' onfocus=alert(1) autofocus x="\`&quot;`],
    ['letters from right to left', 'שלום עולם مرحبا'],
    ['200 characters without a space', 'W'.repeat(200)],
  ]
  test.each(hostile)('shows %s in a name literally everywhere', async (_, client_name) => {
    setting.complaints.length = 0
    await page.setViewportSize({ width: 360, height: 640 })
    const { client_id } = await setting.app.register({ client_name })
    const paths = ['', `/${client_id}`, `/${client_id}/edit`, `/${client_id}/delete`].map(
      (path) => `/admin/clients${path}`,
    )
    for (const path of paths) {
      await page.goto(path)
      const shown = path.endsWith('edit')
        ? await page.getByLabel('Name').inputValue()
        : await page.getByRole('main').innerText()
      expect(shown).toContain(client_name)
      expect(await page.title()).toMatch(/ · Gatehouse$/)
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(360)
    }
    await page.getByRole('button', { name: 'Delete client' }).click()
    await page.waitForURL('**/*done=client-deleted')
    await page.goto(`/admin/audit?target=${client_id}`)
    expect(await page.getByRole('main').innerText()).toContain(client_name)
    expect(setting.complaints).toEqual([])
    await page.setViewportSize({ width: 1280, height: 720 })
  })
})
