import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { doAfterQuestion, facts, isActive, message, openUser, problem, rows } from './administration.ts'
import { heading, loggedInPage, logIn, password, type Setting, startSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the pages about users', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await loggedInPage(setting, 'admin')
  })
  afterAll(() => setting?.stop())
  beforeEach(() => {
    setting.complaints.length = 0
  })

  const badges = () => page.locator('p.badges .badge').allInnerTexts()
  const isLoggedIn = async (tab: Page) => {
    await tab.goto('/account')
    return (await heading(tab)) === 'Your account'
  }
  /** Allows an app to act for a user. @returns its access token */
  async function letAppIn(tab: Page): Promise<string> {
    const client = await setting.app.register()
    await tab.goto(setting.app.authorizeAddress(client))
    await tab.getByRole('button', { name: 'Allow' }).click()
    await tab.waitForURL(`${setting.app.redirectUri}?*`)
    return (await setting.app.redeem(client)).access_token
  }

  test('creates a user, who can log in', async () => {
    await page.goto('/admin/users')
    await page.getByRole('link', { name: 'New user' }).click()
    await page.getByLabel('User name').fill('grace')
    await page.getByLabel('Password').fill('a password of hers')
    await page.getByRole('button', { name: 'Create user' }).click()
    expect(await message(page)).toBe('User created.')
    expect(await heading(page)).toBe('grace')
    expect(await badges()).toEqual(['Active'])
    const theirPage = await setting.newPage()
    await theirPage.goto('/auth/login')
    await logIn(theirPage, 'grace', 'a password of hers')
    expect(await heading(theirPage)).toBe('Your account')
    expect(setting.complaints).toEqual([])
  })

  test('says on the page of a user why they cannot log in, and leads to what helps', async () => {
    const username = await setting.addUser()
    const section = page.getByRole('region', { name: 'Can the user log in?' })
    await openUser(page, setting, username)
    expect(await section.innerText()).toContain('Nothing stands in the way of a login.')
    const theirPage = await setting.newPage()
    await theirPage.goto('/auth/login')
    await logIn(theirPage, username, 'wrong')
    await theirPage.getByRole('alert').waitFor()
    await doAfterQuestion(page, 'Disable…', 'Disable user')
    await page.goto(`/admin/users?search=${username}`)
    await page.getByRole('link', { name: username }).click()
    expect(await section.innerText()).toMatch(
      /The user is disabled\.\s+Enable the user\.[\s\S]*Wrong password\s+[\d-]+ [\d:]+ UTC, Password, from 127\.0\.0\.1, Chrom/,
    )
    await section.getByRole('link', { name: 'Enable the user…' }).click()
    await page.getByRole('button', { name: 'Enable user' }).click()
    expect(await section.innerText()).toContain('Nothing stands in the way of a login.')
    setting.complaints.length = 0
  })

  test('changes a user’s attributes, and a changed e-mail address is no longer verified', async () => {
    const username = await setting.addUser()
    await openUser(page, setting, username)
    const save = async (address: string, verified: string) => {
      await page.getByRole('link', { name: 'Edit' }).click()
      await page.getByLabel('E-mail address', { exact: true }).fill(address)
      await page.getByLabel('E-mail address verified').selectOption(verified)
      await page.getByRole('button', { name: 'Save' }).click()
    }
    await save('ann@example.com', 'Yes')
    expect(await message(page)).toBe('User updated.')
    const verified = { 'E-mail address': 'ann@example.com', 'E-mail address verified': 'yes' }
    expect(await facts(page)).toMatchObject(verified)
    await save('ann@', '')
    expect(await problem(page)).toMatch(/^“E-mail address” must be an e-mail address/)
    await page.getByLabel('E-mail address', { exact: true }).fill('bob@example.com')
    await page.getByRole('button', { name: 'Save' }).click()
    const changed = { 'E-mail address': 'bob@example.com', 'E-mail address verified': 'no' }
    expect(await facts(page)).toMatchObject(changed)
    await page.goto('/admin/users?search=bob@exam')
    expect(await rows(page)).toEqual([
      [username, 'bob@example.com', expect.any(String), 'Active', expect.any(String)],
    ])
  })

  test.each([
    ['a name that is taken', 'admin', 'User name', /^“User name” is already taken/],
    ['a name that looks like a client', 'client_x', 'User name', /^“User name” must not begin with client_/],
    ['a name with white space', 'a b', 'User name', /^“User name” must not contain white space/],
  ])('refuses %s and keeps what was typed', async (_, typed, label, said) => {
    await page.goto('/admin/users/new')
    await page.getByLabel('User name').fill(typed)
    await page.getByLabel('Password').fill(password)
    await page.getByLabel('Role').selectOption('Support')
    await page.getByRole('button', { name: 'Create user' }).click()
    expect(await problem(page)).toMatch(said)
    expect(await page.getByLabel('User name').inputValue()).toBe(typed)
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    expect(await page.getByLabel('Role').inputValue()).toBe('support')
    expect(await page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
  })

  test('disables a user, which ends their sessions and revokes their tokens, and enables them', async () => {
    const username = await setting.addUser()
    const theirPage = await loggedInPage(setting, username)
    const token = await letAppIn(theirPage)
    await openUser(page, setting, username)
    await doAfterQuestion(page, 'Disable…', 'Disable user')
    expect(await message(page)).toBe('User disabled. Sessions have ended and tokens are revoked.')
    expect(await badges()).toEqual(['Disabled'])
    expect(await isLoggedIn(theirPage)).toBe(false)
    expect(await isActive(setting, token)).toBe(false)
    await logIn(theirPage, username)
    expect(await theirPage.getByRole('alert').innerText()).toContain('is wrong')

    await doAfterQuestion(page, 'Enable…', 'Enable user')
    expect(await message(page)).toBe('User enabled.')
    expect(await badges()).toEqual(['Active'])
    await logIn(theirPage, username)
    expect(await isLoggedIn(theirPage)).toBe(true)
    expect(await isActive(setting, token)).toBe(false)
  })

  test('gives a user a role, another one and none, at once', async () => {
    const username = await setting.addUser()
    const theirPage = await loggedInPage(setting, username)
    await openUser(page, setting, username)
    const give = async (role: string) => {
      await page.getByRole('link', { name: 'Change role…' }).click()
      await page.getByLabel('Role').selectOption(role)
      await page.getByRole('button', { name: 'Change role' }).click()
      await page.waitForURL(/[?&]done=/)
      expect(await message(page)).toBe('Role changed. It counts at once.')
    }
    const sections = () =>
      theirPage.getByRole('navigation', { name: 'Administration' }).getByRole('link').allInnerTexts()
    await give('Client manager')
    expect(await badges()).toEqual(['Active', 'Client manager'])
    await theirPage.goto('/admin')
    expect(await sections()).toEqual(['Dashboard', 'Clients', 'Resources', 'Tokens', 'Audit', 'Logins'])
    await theirPage.goto('/admin/users')
    expect(await heading(theirPage)).toBe('You may not do this')
    expect(await sections()).toContain('Clients')

    await give('Owner')
    await theirPage.goto('/admin/users/new')
    expect(await heading(theirPage)).toBe('New user')

    await give('Ordinary user')
    expect(await badges()).toEqual(['Active'])
    await theirPage.goto('/admin/clients')
    expect(await heading(theirPage)).toBe('You may not do this')
  })

  test('sets a password, or generates one and shows it once, and ends all sessions', async () => {
    const username = await setting.addUser()
    const theirPage = await loggedInPage(setting, username)
    const token = await letAppIn(theirPage)
    await openUser(page, setting, username)
    await page.getByRole('link', { name: 'Reset password…' }).click()
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Reset password' }).click()
    expect(await problem(page)).toContain('12')
    expect(await isLoggedIn(theirPage)).toBe(true)

    await page.getByLabel('New password').fill('a given password')
    await page.getByRole('button', { name: 'Reset password' }).click()
    expect(await message(page)).toBe('Password changed. Sessions have ended and tokens are revoked.')
    expect(await isLoggedIn(theirPage)).toBe(false)
    expect(await isActive(setting, token)).toBe(false)
    await logIn(theirPage, username, 'a given password')
    expect(await isLoggedIn(theirPage)).toBe(true)

    await page.getByRole('link', { name: 'Reset password…' }).click()
    await page.getByRole('button', { name: 'Reset password' }).click()
    expect(await heading(page)).toBe('The new password')
    const made = await page.getByRole('status', { name: 'Password' }).innerText()
    await page.getByRole('link', { name: 'I have copied it' }).click()
    expect(await page.content()).not.toContain(made)
    expect(await isLoggedIn(theirPage)).toBe(false)
    await logIn(theirPage, username, made)
    expect(await isLoggedIn(theirPage)).toBe(true)
  })

  test('ends one session, then all of them, and keeps the apps’ tokens', async () => {
    const username = await setting.addUser()
    const [firefox, theirPage, third] = [
      await loggedInPage(setting, username, {
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0',
      }),
      await loggedInPage(setting, username),
      await loggedInPage(setting, username),
    ]
    const token = await letAppIn(theirPage)
    await openUser(page, setting, username)
    await doAfterQuestion(page, /^End the session of Firefox/, 'Log out user')
    expect(await Promise.all([firefox, theirPage, third].map(isLoggedIn))).toEqual([false, true, true])
    expect(await page.getByRole('link', { name: /^End the session/ }).count()).toBe(2)
    await doAfterQuestion(page, 'Log out everywhere…', 'Log out user')
    expect(await message(page)).toBe('The user is logged out.')
    expect(await page.getByRole('main').innerText()).toContain('The user is not logged in anywhere.')
    expect(await Promise.all([theirPage, third].map(isLoggedIn))).toEqual([false, false])
    expect(await isActive(setting, token)).toBe(true)

    await doAfterQuestion(page, 'Revoke tokens…', 'Revoke tokens')
    expect(await isActive(setting, token)).toBe(false)
  })

  test('deletes a user with their sessions and tokens', async () => {
    const username = await setting.addUser()
    const theirPage = await loggedInPage(setting, username)
    const token = await letAppIn(theirPage)
    await openUser(page, setting, username)
    await doAfterQuestion(page, 'Delete…', 'Delete user')
    expect(new URL(page.url()).pathname).toBe('/admin/users')
    expect(await message(page)).toBe('User deleted. Sessions and consents have ended and tokens are revoked.')
    await page.getByLabel('Name').fill(username)
    await page.getByRole('button', { name: 'Search' }).click()
    expect(await page.getByRole('main').innerText()).toContain(`No user matches “${username}”.`)
    expect(await isLoggedIn(theirPage)).toBe(false)
    expect(await isActive(setting, token)).toBe(false)
  })

  test('lets nobody disable, demote or delete themselves, so that an administrator always remains', async () => {
    const id = await openUser(page, setting, 'admin')
    expect(await page.getByRole('main').innerText()).toContain('This is your own account')
    const offered = await page.getByRole('region', { name: 'Actions' }).getByRole('link').allInnerTexts()
    expect(offered).toEqual([
      'Reset password…',
      'Send a reset mail…',
      'Log out everywhere…',
      'Revoke tokens…',
    ])
    const forbidden = [
      ['disable', 'Disable user'],
      ['role', 'Change role'],
      ['delete', 'Delete user'],
    ] as const
    for (const [action, button] of forbidden) {
      await page.goto(`/admin/users/${id}/${action}`)
      if (action === 'role') await page.getByLabel('Role').selectOption('Viewer')
      await page.getByRole('button', { name: button }).click()
      expect(await problem(page)).toContain('yourself')
    }
    expect((await rows(await reopened('/admin/users?search=admin')))[0]?.[3]).toMatch(/Active\s*Owner/)
  })

  async function reopened(path: string): Promise<Page> {
    await page.goto(path)
    return page
  }
})
