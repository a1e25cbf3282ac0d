import { readFile } from 'node:fs/promises'
import { credentialsOf, expectRefusal, introspectionOf } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  heading,
  loggedInPage,
  logIn,
  password,
  type Setting,
  startSetting,
  userCookies,
} from './support/setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the account page', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  const section = (page: Page, name: string) => page.getByRole('region', { name })
  const sessionsOf = (page: Page) => section(page, 'Where you are logged in').getByRole('listitem')
  const isLoggedIn = async (page: Page) => {
    await page.goto('/account')
    return (await heading(page)) === 'Your account'
  }

  test('lists where the user is logged in, this browser first, and ends the other session', async () => {
    const username = await setting.addUser()
    const [page, firefox] = [
      await loggedInPage(setting, username),
      await loggedInPage(setting, username, {
        userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0',
      }),
    ]
    await loggedInPage(setting)
    await page.reload()
    const rows = await sessionsOf(page).allInnerTexts()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(
      /^Chrom\w+ on Linux this browser\s+from 127\.0\.0\.1\s+since \w+ \d+, \d{4}, \d\d:\d\d UTC/,
    )
    expect(rows[1]).toMatch(/^Firefox on Windows\s/)
    expect(rows[1]).not.toContain('this browser')

    await page.getByRole('button', { name: /^Log out Firefox on Windows, since / }).click()
    expect(await page.getByRole('status').innerText()).toBe('That session has ended.')
    await expect.poll(() => sessionsOf(page).count()).toBe(1)
    expect(await isLoggedIn(firefox)).toBe(false)
    expect(await isLoggedIn(page)).toBe(true)
  })

  test('leads to one’s own logins, twenty on a page, the failed ones too and nobody else’s', async () => {
    const username = await setting.addUser()
    const stranger = await setting.newPage()
    await stranger.goto('/auth/login')
    await logIn(stranger, username, 'wrong')
    await stranger.getByRole('alert').waitFor()
    const page = await loggedInPage(setting, username)
    await page.getByRole('link', { name: 'Your logins' }).click()
    expect(await heading(page)).toBe('Your logins')
    const logins = page.locator('.rows').getByRole('listitem')
    const [newest = '', older = ''] = await logins.allInnerTexts()
    expect(newest).toMatch(
      /^Chrom\w+ on Linux Logged in\s+from 127\.0\.0\.1\s+\w+ \d+, \d{4}, \d\d:\d\d UTC$/,
    )
    expect(older).toContain('Wrong password')
    await expect.poll(() => logins.count()).toBe(2)

    await setting.sql(
      `insert into identity.login_attempts (login_id, user_id, username, client_id, ip_address, user_agent, method, failure)
       select gen_random_uuid(), id, username, '', '192.0.2.1', '', 'password', '' from identity.users, generate_series(1, 20)
       where username = $1`,
      [username],
    )
    await page.reload()
    await expect.poll(() => logins.count()).toBe(20)
    await page.getByRole('link', { name: 'Older logins' }).click()
    await expect.poll(() => logins.count()).toBe(2)
    await page.getByRole('link', { name: 'Newest logins' }).click()
    await expect.poll(() => logins.count()).toBe(20)
  })

  test('lets users change their details, and says what is wrong with them', async () => {
    const page = await loggedInPage(setting)
    await page.getByRole('link', { name: 'Change your details' }).click()
    await page.getByLabel('Full name').fill('Ann Example')
    await page.getByLabel('Time zone').fill('Mars')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByRole('alert').innerText()).toMatch(/^“Time zone” must be a time zone/)
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByRole('status').innerText()).toBe('Your details are saved.')
    const details = await section(page, 'Your details').innerText()
    expect(details).toMatch(/Full name\s+Ann Example\s+Time zone\s+Europe\/Berlin/)
  })

  test('ends the session of this browser', async () => {
    const username = await setting.addUser()
    const [page, other] = [await loggedInPage(setting, username), await loggedInPage(setting, username)]
    await page.reload()
    await page.getByRole('button', { name: 'Log out here' }).click()
    expect(page.url()).toBe(`${setting.system.baseUrl}/auth/login`)
    expect(await userCookies(page, `${setting.system.baseUrl}/`)).toEqual([])
    expect(await isLoggedIn(page)).toBe(false)
    expect(await isLoggedIn(other)).toBe(true)
  })

  test('cannot end the session of another user', async () => {
    const [page, victim] = [await loggedInPage(setting), await loggedInPage(setting)]
    const id = await victim.locator('input[name=session_id]').first().inputValue()
    const form = page.locator('form[action="/account/sessions/end"]').first()
    await form.locator('input').evaluate((input, value) => input.setAttribute('value', value), id)
    await form.getByRole('button').click()
    await page.waitForURL('**/account?done=session')
    expect(await isLoggedIn(victim)).toBe(true)
  })

  test('withdraws an app’s consent, revokes its tokens at once, and asks again the next time', async () => {
    const { app, system } = setting
    const client = await app.register({ grant_types: ['authorization_code', 'refresh_token'] })
    const page = await loggedInPage(setting)
    expect(await section(page, 'Apps with access to your account').innerText()).toContain('None.')
    await page.goto(app.authorizeAddress(client))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    const { access_token, refresh_token } = await app.redeem(client)
    expect(JSON.parse(await introspectionOf(system, access_token)).active).toBe(true)

    await page.goto(`${system.baseUrl}/account`)
    const apps = await section(page, 'Apps with access to your account').getByRole('listitem').allInnerTexts()
    expect(apps).toEqual([
      expect.stringMatching(/^Acme\s+Read your data · See your name and profile\s+since \w+ \d+, \d{4},/),
    ])
    await page.getByRole('button', { name: 'Withdraw the access of Acme' }).click()
    expect(await page.getByRole('status').innerText()).toContain('The access is withdrawn')
    expect(await section(page, 'Apps with access to your account').innerText()).toContain('None.')

    expect(await introspectionOf(system, access_token)).toBe('{"active":false}')
    const refreshed = await system.form('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token,
      ...credentialsOf(client),
    })
    await expectRefusal(refreshed, 400, 'invalid_grant')
    await page.goto(app.authorizeAddress(client))
    expect(await heading(page)).toBe('Acme wants access to your account')
  })

  test('withdraws the access of a first-party app, for which users are not asked', async () => {
    const { app, system, sql } = setting
    const client = await app.register({ client_name: 'Our own app' })
    await sql('update clients.clients set first_party = true where client_id = $1', [client.client_id])
    const page = await loggedInPage(setting)
    await page.goto(app.authorizeAddress(client))
    const { access_token } = await app.redeem(client)

    await page.goto(`${system.baseUrl}/account`)
    await page.getByRole('button', { name: 'Withdraw the access of Our own app' }).click()
    expect(await page.getByRole('status').innerText()).toContain('The access is withdrawn')
    expect(await section(page, 'Apps with access to your account').innerText()).toContain('None.')
    expect(await introspectionOf(system, access_token)).toBe('{"active":false}')
  })

  test('gives the user a file with what is stored about them', async () => {
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username)
    await page.getByRole('link', { name: 'Download your data' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the file' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('account.json')
    const data = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(data.user.username).toBe(username)
    expect(data.sessions).toHaveLength(1)
  })

  test('deletes the account of a user who types their name, and ends their sessions', async () => {
    const username = await setting.addUser()
    const [page, other] = [await loggedInPage(setting, username), await loggedInPage(setting, username)]
    await page.getByRole('link', { name: 'Delete your account' }).click()
    const submit = page.getByRole('button', { name: 'Delete the account for good' })
    await page.getByLabel('Your user name').fill('somebody')
    await submit.click()
    expect(await page.getByRole('alert').innerText()).toBe('This is not your user name. Nothing was deleted.')
    expect(await page.locator('input:focus').getAttribute('name')).toBe('username')
    await page.getByLabel('Your user name').fill(username)
    await submit.click()
    expect(await heading(page)).toBe('Your account is deleted')
    expect(await userCookies(page, `${setting.system.baseUrl}/`)).toEqual([])
    expect(await isLoggedIn(page)).toBe(false)
    expect(await isLoggedIn(other)).toBe(false)
    await logIn(page, username)
    expect(await page.getByRole('alert').innerText()).toContain('is wrong')
  })

  test('asks for the password again when the login is older than five minutes, and leads back', async () => {
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username)
    await setting.sql(
      `update identity.sessions s set authenticated_at = now() - interval '6 minutes'
      from identity.users u where u.id = s.user_id and u.username = $1`,
      [username],
    )
    await page.getByRole('link', { name: 'Delete your account' }).click()
    expect(await heading(page)).toBe('Log in')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    expect(await heading(page)).toBe('Delete your account')
  })

  describe('changing the password', () => {
    async function change(page: Page, current: string, next: string, again = next) {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password', { exact: true }).fill(next)
      await page.getByLabel('Repeat the new password').fill(again)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    /** The page's error message, with the focus in the field below it. */
    async function problemOf(page: Page) {
      expect(await page.locator('input:focus').getAttribute('name')).toBe('current_password')
      return section(page, 'Change your password').getByRole('alert').innerText()
    }

    test('says what is wrong and changes nothing', async () => {
      const username = await setting.addUser()
      const page = await loggedInPage(setting, username)
      const next = 'another good password'
      await change(page, password, next, 'another good passwort')
      expect(await problemOf(page)).toBe('The two new passwords differ. Nothing was changed.')
      await change(page, 'not my password', next)
      expect(await problemOf(page)).toBe('The current password is wrong. Nothing was changed.')

      // The browser itself refuses a short password …
      await change(page, password, 'short')
      expect(await page.locator('input:focus:invalid').getAttribute('name')).toBe('new_password')
      // … and so does the server when that is bypassed.
      await page.locator('input[minlength]').evaluateAll((inputs) => {
        for (const input of inputs) input.removeAttribute('minlength')
      })
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.waitForURL('**/account/password')
      expect(await problemOf(page)).toBe('The password must have at least 12 characters.')

      const fresh = await setting.newPage()
      await fresh.goto('/auth/login')
      await logIn(fresh, username)
      expect(await isLoggedIn(fresh)).toBe(true)
    })

    test('ends the other sessions, and from then on accepts only the new password', async () => {
      const username = await setting.addUser()
      const [page, other] = [await loggedInPage(setting, username), await loggedInPage(setting, username)]
      const next = 'eine neue Losung: Füße & Äpfel'
      await change(page, password, next)
      expect(await page.getByRole('status').innerText()).toBe(
        'Your password is changed. Your other sessions have ended, and apps have lost their access.',
      )
      expect(await isLoggedIn(page)).toBe(true)
      expect(await isLoggedIn(other)).toBe(false)

      await logIn(other, username)
      expect(await other.getByRole('alert').innerText()).toContain('is wrong')
      await logIn(other, username, next)
      expect(await isLoggedIn(other)).toBe(true)
    })

    test('keeps the other sessions if the user chooses that', async () => {
      const username = await setting.addUser()
      const [page, other] = [await loggedInPage(setting, username), await loggedInPage(setting, username)]
      await page.getByLabel('Stay logged in elsewhere, and let apps keep their access').check()
      await change(page, password, 'another good password')
      expect(await page.getByRole('status').innerText()).toContain('keep their access')
      expect(await isLoggedIn(other)).toBe(true)
    })
  })
})
