import { appCodeOf } from '@gatehouse/test/browser/totp'
import { program } from '@gatehouse/test/programs/programs'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, loggedInPage, logIn, type Setting, startSetting } from './support/setting.ts'

const chromium = await program('chromium')

const step = 30_000
const atAccount = (page: Page) => page.waitForURL(({ pathname }) => pathname === '/account')

describe.skipIf(!chromium)('an authenticator app and recovery codes in a browser', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  /** A user who has set up an app, with its secret; the code of the current step is used. */
  async function enrolled(options?: BrowserContextOptions) {
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username, options)
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click()
    const secret = await page.locator('code.secret').innerText()
    await page.getByLabel('Code that the app shows').fill(appCodeOf(secret))
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const recoveryCodes = await page.locator('.codes li').allInnerTexts()
    await page.getByRole('button', { name: 'I have stored them' }).click()
    expect(await page.getByRole('status').innerText()).toBe('Your authenticator app is set up.')
    return { username, page, secret, recoveryCodes }
  }

  /** The server also takes the code of the next step, which the user has not used. */
  const nextCode = (secret: string) => appCodeOf(secret, Date.now() + step)

  async function openLogin(username: string, options?: BrowserContextOptions): Promise<Page> {
    const page = await setting.newPage(options)
    await page.goto('/auth/login?return_to=/account')
    await logIn(page, username)
    return page
  }

  test('work without JavaScript, from setting up to removing', async () => {
    const options = { javaScriptEnabled: false }
    const { username, secret, recoveryCodes } = await enrolled(options)
    const page = await openLogin(username, options)
    expect(await heading(page)).toBe('One more step')
    await page.getByLabel('Code from your authenticator app').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).first().click()
    expect(await page.getByRole('alert').innerText()).toContain('This code is wrong or was used already.')
    await page.getByLabel('Code from your authenticator app').fill(nextCode(secret))
    await page.getByRole('button', { name: 'Continue' }).first().click()
    await atAccount(page)

    const again = await openLogin(username, options)
    await again.getByText('Use a recovery code').click()
    expect(await again.getByRole('main').innerText()).toContain('Codes left: 10.')
    await again.getByLabel('Recovery code').fill((recoveryCodes[0] ?? '').toUpperCase().replaceAll('-', ' '))
    await again.locator('details').getByRole('button', { name: 'Continue' }).click()
    await atAccount(again)
    expect(await again.getByRole('main').innerText()).toContain('codes left: 9')

    await again.getByRole('link', { name: 'Remove the authenticator app' }).click()
    expect(await again.getByRole('main').innerText()).toContain('It is your last second factor')
    await again.getByRole('button', { name: 'Remove' }).click()
    expect(await again.getByRole('status').innerText()).toContain('It is removed')
    await atAccount(await openLogin(username, options))
  })

  test('a code that is sent with two clicks logs in once', async () => {
    const { username, secret } = await enrolled()
    const page = await openLogin(username)
    await page.getByLabel('Code from your authenticator app').fill(nextCode(secret))
    await page.getByRole('button', { name: 'Continue' }).first().dblclick()
    await atAccount(page)
    const attempts = await setting.sql<{ failure: string }>(
      'select failure from identity.login_attempts where username = $1',
      [username],
    )
    expect(attempts.map(({ failure }) => failure)).toEqual(['', ''])
  })

  test('changes need a login of the last five minutes: the user confirms that and comes back', async () => {
    const { username, page, secret } = await enrolled()
    await setting.sql(
      `update identity.sessions set authenticated_at = now() - interval '6 minutes'
       where user_id = (select id from identity.users where username = $1)`,
      [username],
    )
    await page.getByRole('link', { name: 'Make new recovery codes' }).click()
    expect(await page.getByRole('main').innerText()).toContain('To continue, log in again.')
    expect(await page.getByLabel('User name').inputValue()).toBe(username)
    await logIn(page, username)
    await page.getByLabel('Code from your authenticator app').fill(nextCode(secret))
    await page.getByRole('button', { name: 'Continue' }).first().click()
    await page.getByRole('button', { name: 'Make new codes' }).click()
    await page.locator('.codes').waitFor()
    expect(await page.locator('.codes li').count()).toBe(10)
    expect(await page.getByRole('main').innerText()).toContain('Your earlier codes no longer work.')
  })

  test('new codes stay when the page is reloaded, until the user has stored them', async () => {
    const page = await loggedInPage(setting, await setting.addUser())
    const renewed = () =>
      setting.sql<{ count: number }>('select count(*)::int as count from identity.recovery_codes')
    await page.getByRole('link', { name: 'Set up an authenticator app' }).click()
    const secret = await page.locator('code.secret').innerText()
    await page.getByLabel('Code that the app shows').fill(appCodeOf(secret))
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.locator('.codes').waitFor()
    const codes = await page.locator('.codes li').allInnerTexts()
    const before = await renewed()
    for (let reload = 0; reload < 2; reload += 1) {
      const answer = await page.reload()
      expect([answer?.request().method(), answer?.status()]).toEqual(['GET', 200])
      expect(await page.locator('.codes li').allInnerTexts()).toEqual(codes)
    }
    expect(await renewed()).toEqual(before)
    for (const code of codes) expect(page.url()).not.toContain(code)
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await atAccount(page)
    await page.goBack()
    await atAccount(page)
    expect(await page.locator('.codes').count()).toBe(0)
  })

  test('leads an app’s user, who adds the first factor on the way, to the app after the codes', async () => {
    const username = await setting.addUser()
    const client = await setting.app.register()
    await setting.sql('update clients.clients set first_party = true where client_id = $1', [
      client.client_id,
    ])
    const page = await setting.newPage()
    await page.goto(setting.app.authorizeAddress(client))
    const returnTo = new URL(page.url()).searchParams.get('return_to') ?? ''
    const elsewhere = await page.context().newPage()
    await elsewhere.goto('/auth/login')
    await logIn(elsewhere, username)
    await atAccount(elsewhere)
    await page.goto(`/auth/second-factor/app?${new URLSearchParams({ of: 'session', return_to: returnTo })}`)
    await page
      .getByLabel('Code that the app shows')
      .fill(appCodeOf(await page.locator('code.secret').innerText()))
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.locator('.codes').waitFor()
    // The form itself leads to the app: the policy of the page must allow that.
    await page.getByRole('button', { name: 'I have stored them' }).click()
    await page.waitForURL(`${setting.app.redirectUri}?*`)
    expect(setting.app.answers.at(-1)).toHaveProperty('code')
  })

  test('leads an app’s user to the app after the second factor', async () => {
    const { username, secret } = await enrolled()
    const client = await setting.app.register()
    // Nobody is asked for consent, so the form itself leads to the app: the policy of the page must allow that.
    await setting.sql('update clients.clients set first_party = true where client_id = $1', [
      client.client_id,
    ])
    const page = await setting.newPage()
    await page.goto(setting.app.authorizeAddress(client))
    await logIn(page, username)
    await page.getByLabel('Code from your authenticator app').fill(nextCode(secret))
    await page.getByRole('button', { name: 'Continue' }).first().click()
    await page.waitForURL(`${setting.app.redirectUri}?*`)
    expect(setting.app.answers.at(-1)).toHaveProperty('code')
  })

  test('offers the fields in an order that suits a keyboard, with the focus in the first one', async () => {
    const { username } = await enrolled()
    const page = await openLogin(username)
    await page.locator('#code:focus').waitFor()
    expect(await page.locator('#code').getAttribute('autocomplete')).toBe('one-time-code')
    expect(await page.locator('#code').getAttribute('inputmode')).toBe('numeric')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toBe('Continue')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toBe('Use a recovery code')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('name')).toBe('recovery_code')
  })
})
