import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, logIn, type Setting, startSetting } from './support/setting.ts'
import { type AuthenticatorOptions, addAuthenticator } from './support/virtual-authenticator.ts'

const chromium = await program('chromium')

const atAccount = (page: Page) => page.waitForURL(({ pathname }) => pathname === '/account')

describe.skipIf(!chromium)('passkeys in a browser', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  /**
   * Opens a page whose browser does not offer passkeys in the field for the user name: the virtual authenticator would choose one
   * there before a test does anything.
   */
  async function newPage(): Promise<Page> {
    const page = await setting.newPage()
    await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false')
    return page
  }

  /** A user who has enrolled a passkey, and is logged in. */
  async function enrolled(
    options: AuthenticatorOptions = {},
    field: 'offers' | 'offers nothing' = 'offers nothing',
  ) {
    const username = await setting.addUser()
    const page = field === 'offers' ? await setting.newPage() : await newPage()
    await page.goto('/auth/login')
    await logIn(page, username)
    await atAccount(page)
    const authenticator = await addAuthenticator(page, options)
    const recoveryCodes = await addPasskey(page)
    return { username, page, authenticator, recoveryCodes }
  }

  /** Adds a passkey from the account page. @returns the recovery codes */
  async function addPasskey(page: Page): Promise<string[]> {
    await page.goto('/account')
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Add the passkey' }).click()
    await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
    const codes = await page.locator('.codes li').allInnerTexts()
    await page.getByRole('button', { name: 'I have stored them' }).click()
    return codes
  }

  async function logOut(page: Page) {
    await page.goto('/account')
    await page.getByRole('navigation').getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/auth/login')
  }

  /** Opens the login page, and presses its button for passkeys. */
  async function useButton(page: Page, address = '/auth/login?return_to=/account') {
    await page.goto(address)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
  }

  test('are enrolled with a name, and ten recovery codes that are shown once', async () => {
    const { page, authenticator, recoveryCodes } = await enrolled()
    expect(recoveryCodes).toHaveLength(10)
    expect(new URL(page.url()).pathname).toBe('/account')
    expect(await page.getByRole('status').innerText()).toBe('Your passkey is added.')
    const section = page.getByRole('region', { name: 'Passkeys and second factors' })
    expect(await section.innerText()).toContain('Chrome on Linux')
    expect(await section.innerText()).toContain('codes left: 10')
    const [stored] = await authenticator.passkeys()
    expect(stored).toMatchObject({ isResidentCredential: true, rpId: 'localhost' })
    expect(Buffer.from(stored?.userHandle ?? '', 'base64')).toHaveLength(16)
  })

  test('prove the second factor after the password', async () => {
    const { page, username } = await enrolled()
    await logOut(page)
    await logIn(page, username)
    expect(await heading(page)).toBe('One more step')
    expect(await page.getByRole('main').innerText()).toContain(`You are logging in as ${username}.`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await atAccount(page)
  })

  test('log in alone, by a button', async () => {
    const { page, username } = await enrolled()
    await logOut(page)
    await useButton(page)
    await atAccount(page)
    expect(await page.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)
  })

  test('log in alone, offered in the field for the user name', async () => {
    const { page, username } = await enrolled({}, 'offers')
    await logOut(page)
    // The browser would show a list in the field; the virtual authenticator chooses at once.
    await page.goto('/auth/login?return_to=/account')
    await atAccount(page)
    expect(await page.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)
  })

  test('do not log in alone while the authenticator does not know who uses it', async () => {
    const { page, authenticator } = await enrolled()
    await logOut(page)
    await authenticator.verifyUser(false)
    await useButton(page)
    expect(await page.getByRole('alert').innerText()).toContain('The passkey was not used')
    expect(new URL(page.url()).pathname).toBe('/auth/login')
  })

  test('lead to what needed the login, also to an app', async () => {
    const { page } = await enrolled()
    await logOut(page)
    await useButton(page, setting.app.authorizeAddress(await setting.app.register()))
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${setting.app.redirectUri}?*`)
    expect(setting.app.answers.at(-1)).toHaveProperty('code')
  })

  test('are renamed and removed, after which the password is enough again', async () => {
    const { page, username, authenticator } = await enrolled()
    await page.getByRole('link', { name: 'Change the passkey Chrome on Linux' }).click()
    await page.getByLabel('Name').fill('My laptop')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await page.getByRole('status').innerText()).toBe('The passkey has a new name.')
    await page.getByRole('link', { name: 'Change the passkey My laptop' }).click()
    expect(await page.getByRole('main').innerText()).toContain('It is your last second factor')
    await page.getByRole('button', { name: 'Remove' }).click()
    expect(await page.getByRole('main').innerText()).toContain(
      'Your account is protected by a password only.',
    )
    await logOut(page)
    await useButton(page)
    expect(await page.getByRole('alert').innerText()).toContain('This passkey was not accepted.')
    await authenticator.remove()
    await logIn(page, username)
    await atAccount(page)
  })

  test('a device that has one already does not make another', async () => {
    const { page } = await enrolled()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Add the passkey' }).click()
    const taken = 'This device or key has a passkey for this account already.'
    expect(await page.getByRole('alert').innerText()).toBe(taken)
  })

  test('a copy of one that is bound to a device is refused', async () => {
    const { page, username, authenticator } = await enrolled()
    const [original] = await authenticator.passkeys()
    if (original === undefined) throw new Error('the authenticator has no passkey')
    for (let round = 1; round <= 3; round += 1) {
      await logOut(page)
      await useButton(page)
      await atAccount(page)
    }
    const thief = await newPage()
    const copy = await addAuthenticator(thief)
    await copy.add({ ...original, signCount: 1 })
    await useButton(thief)
    expect(await thief.getByRole('alert').innerText()).toContain('This passkey was not accepted.')
    const [attempt] = await setting.sql<{ failure: string }>(
      'select failure from identity.login_attempts where username = $1 order by at desc limit 1',
      [username],
    )
    expect(attempt?.failure).toBe('passkey_counter')
  })

  test('a synced one works on each of its devices, whatever their counters', async () => {
    const { page, authenticator } = await enrolled({ synced: true })
    expect(await page.getByRole('main').innerText()).toContain('on several devices')
    const [original] = await authenticator.passkeys()
    if (original === undefined) throw new Error('the authenticator has no passkey')
    const other = await newPage()
    const phone = await addAuthenticator(other, { synced: true })
    await phone.add({ ...original, signCount: 0 })
    for (let round = 1; round <= 2; round += 1) {
      await useButton(other)
      await atAccount(other)
      await logOut(other)
    }
  })

  test('a security key without a PIN is a second factor, but logs nobody in alone', async () => {
    const key = { transport: 'usb', hasResidentKey: false, hasUserVerification: false } as const
    const { page, username } = await enrolled(key)
    await logOut(page)
    await useButton(page)
    expect(await page.getByRole('alert').innerText()).toContain('The passkey was not used')
    await logIn(page, username)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await atAccount(page)
  })

  test('a browser that knows no passkeys shows none, and says so where one is needed', async () => {
    const { username } = await enrolled()
    const page = await setting.newPage()
    await page.addInitScript('delete globalThis.PublicKeyCredential')
    await page.goto('/auth/login')
    expect(await page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0)
    await logIn(page, username)
    expect(await page.getByRole('alert').innerText()).toBe('This browser cannot use passkeys.')
  })
})
