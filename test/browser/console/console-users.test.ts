import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loggedInPage, logIn, password, type Setting, startSetting } from '../support/setting.ts'
import { confirmAction, heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('users in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin/users')
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  async function newUser() {
    const name = await setting.addUser()
    const [row] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      name,
    ])
    return { name, path: `/admin/users/${row?.id}`, id: row?.id ?? '' }
  }

  test('a user is created with a password, and can log in', async () => {
    const name = `new-${randomUUID()}`
    await page.goto('/admin/users/new')
    await page.getByLabel('User name').fill(name)
    await page
      .getByLabel(/^Password/)
      .first()
      .fill('short')
    await button('Create user').click()
    await expect.poll(() => page.getByRole('main').innerText()).toMatch(/at least 12|12 to 1024/)
    await page
      .getByLabel(/^Password/)
      .first()
      .fill(password)
    await button('Create user').click()
    await page.getByText(`${name} is created.`).first().waitFor()
    await (await loggedInPage(setting, name)).context().close()
  })

  test('a change of a user that came after somebody else’s shows both, and can be undone', async () => {
    const { path, id } = await newUser()
    await setting.sql(
      `update identity.users set attributes = '{"name": "Ann", "email": "ann@example.com", "email_verified": true}' where id = $1`,
      [id],
    )
    await page.goto(`${path}?tab=profile`)
    await page.getByLabel('Full name').fill('Ann Mine')
    const other = await openConsole(setting, `${path}?tab=profile`)
    await other.getByLabel('Full name').fill('Ann Theirs')
    await other.getByLabel('E-mail address', { exact: true }).fill('theirs@example.com')
    await other.getByRole('button', { name: 'Save changes' }).click()
    await notice(other, 'Saved.')

    await button('Save changes').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.innerText()).toMatch(/Full name\s+Ann Theirs\s+Ann Mine/)
    await dialog.getByRole('button', { name: 'Save mine' }).click()
    await notice(page, 'Saved.')
    const attributes = async () => {
      const [row] = await setting.sql<{ attributes: object }>(
        'select attributes from identity.users where id = $1',
        [id],
      )
      return row?.attributes
    }
    expect(await attributes()).toMatchObject({ name: 'Ann Mine', email: 'theirs@example.com' })
    // A change by somebody else since then is not undone.
    await other.getByRole('button', { name: 'Undo' }).click()
    await notice(other, 'Somebody else has changed this since.')
    await other.context().close()
    await page.getByLabel('E-mail address', { exact: true }).fill('mine@example.com')
    await button('Save changes').click()
    await expect.poll(attributes).toMatchObject({ email: 'mine@example.com' })
  })

  test('says in two clicks why somebody cannot log in, and helps', async () => {
    const { name } = await newUser()
    await setting.sql('update identity.users set disabled_at = now() where username = $1', [name])
    await page.goto(`/admin/users?search=${name}`)
    await page.getByRole('link', { name }).click()
    await page.getByText(`Login check: ${name} cannot log in.`).waitFor()
    await page.getByText('The user is disabled.').waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Enable' }).last().click()
    await notice(page, `${name} is active.`)
    await page.getByText(`Login check: ${name} can log in.`).waitFor()
    await (await loggedInPage(setting, name)).context().close()
  })

  test('somebody whose passwords are blocked from an address is unlocked', async () => {
    const { name, path } = await newUser()
    const tried = () => setting.system.form('/auth/login', { username: name, password: 'wrong' })
    for (let failure = 0; failure < 10; failure += 1) await tried()
    expect((await tried()).status).toBe(429)
    await page.goto(path)
    await page.getByText(/^Passwords are blocked from one address for 1[45] minutes\.$/).waitFor()
    await button('Unlock').click()
    await notice(page, `${name} can try passwords again.`)
    await page.getByText(`Login check: ${name} can log in.`).waitFor()
    await (await loggedInPage(setting, name)).context().close()
    await page.goto(`${path}?tab=history`)
    await page.locator('tbody').getByText('Unlock user').waitFor()
  })

  test('disabling somebody ends what they do, and can be undone', async () => {
    const { name, path } = await newUser()
    const theirs = await loggedInPage(setting, name)
    await page.goto(path)
    await button('Disable').click()
    await confirmAction(page, 'Disable')
    await notice(page, `${name} is disabled.`)
    await theirs.goto('/account')
    expect(new URL(theirs.url()).pathname).toBe('/auth/login')
    await button('Undo').click()
    await page.getByText('Undone.').waitFor()
    await logIn(theirs, name)
    await theirs.waitForURL('**/account')
    await theirs.context().close()
  })

  test('a generated password is shown once, and ends the sessions', async () => {
    const { name, path } = await newUser()
    const theirs = await loggedInPage(setting, name)
    await page.goto(`${path}?tab=security`)
    await button('New password').click()
    await confirmAction(page, 'Set password').catch(() => undefined)
    const dialog = page.getByText('Copy it now. It is not shown again.')
    await dialog.waitFor()
    const generated = await page.locator('code').last().innerText()
    await theirs.goto('/account')
    await logIn(theirs, name, generated)
    await theirs.waitForURL('**/account')
    await theirs.context().close()
  })

  test('an attribute is changed and removed', async () => {
    const { name, path } = await newUser()
    await page.goto(`${path}?tab=profile`)
    await page.getByLabel('Full name').fill('Anna Jones')
    await button('Save changes').click()
    await notice(page, 'Saved.')
    const nameOf = async () =>
      (
        await setting.sql<{ name: string }>(
          `select attributes ->> 'name' as name from identity.users where username = $1`,
          [name],
        )
      )[0]?.name
    expect(await nameOf()).toBe('Anna Jones')
    await page.getByLabel('Full name').fill('')
    await button('Save changes').click()
    await expect.poll(nameOf).toBeNull()
  })

  test('a session is ended', async () => {
    const { name, path } = await newUser()
    const theirs = await loggedInPage(setting, name)
    await page.goto(`${path}?tab=security`)
    await button('End all sessions').click()
    await page.getByRole('dialog').getByRole('button').last().click()
    await expect
      .poll(async () => (await theirs.goto('/account').then(() => new URL(theirs.url()).pathname)) as string)
      .toBe('/auth/login')
    await theirs.context().close()
  })

  test('who is deleted is named first', async () => {
    const { name, path, id } = await newUser()
    await page.goto(path)
    await button('Delete').click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await confirmAction(page, 'Delete')
    await page.waitForURL('**/admin/users')
    expect(await setting.sql('select from identity.users where id = $1', [id])).toEqual([])
  })

  test('a viewer sees the same, without anything that changes it', async () => {
    const viewer = await newUser()
    const { path } = await newUser()
    await setting.sql(`update identity.users set admin_role = 'viewer' where id = $1`, [viewer.id])
    const own = await openConsole(setting, path, { username: viewer.name })
    for (const tab of ['', '?tab=security', '?tab=profile']) {
      await own.goto(path + tab)
      await own.waitForLoadState('networkidle')
      const names = await own.getByRole('main').getByRole('button').allInnerTexts()
      expect([
        tab,
        names.filter((name) => /disable|delete|revoke|remove|end|set|save|send/i.test(name)),
      ]).toEqual([tab, []])
    }
    for (const list of ['clients', 'users', 'groups', 'resources', 'keys', 'mails', 'tokens']) {
      await own.goto(`/admin/${list}`)
      await own.waitForLoadState('networkidle')
      expect([list, await own.getByRole('link', { name: /^Create/ }).count()]).toEqual([list, 0])
      expect([list, await own.getByRole('checkbox').count()]).toEqual([list, 0])
    }
    await own.context().close()
  })

  test('a role opens only its sections', async () => {
    const manager = await newUser()
    await setting.sql(`update identity.users set admin_role = 'client_manager' where id = $1`, [manager.id])
    const own = await openConsole(setting, '/admin/users', { username: manager.name })
    await own.getByText('Your role does not allow this').first().waitFor()
    const sections = await own.getByRole('navigation').getByRole('link').allInnerTexts()
    expect(sections).toEqual([
      'Dashboard',
      'Create an app',
      'Clients',
      'Groups',
      'Organizations',
      'Connections',
      'Resource servers',
      'Tokens',
      'Activity',
    ])
    await own.context().close()
  })

  test('nobody changes themselves, and the page says so', async () => {
    const [admin] = await setting.sql<{ id: string }>(
      `select id from identity.users where username = 'admin'`,
    )
    await page.goto(`/admin/users/${admin?.id}`)
    await heading(page, 'admin')
    await page.getByText('This is your own account.').waitFor()
    expect(await button('Disable').count()).toBe(0)
  })
})
