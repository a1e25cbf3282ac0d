import { introspectionOf } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, loggedInPage, logIn, type Setting, startSetting } from './support/setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('an authorization request in a browser', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  /** Presses a button of the consent page, and returns the parameters that the app gets. */
  async function answer(page: Page, button: 'Allow' | 'Deny') {
    await page.getByRole('button', { name: button }).click()
    await page.waitForURL(`${setting.app.redirectUri}?*`)
    return setting.app.answers.at(-1)
  }

  const withCode = () => ({ code: expect.any(String), state: 'the state', iss: setting.system.baseUrl })

  test('returns to the app with a code for a token of the user when the user allows it', async () => {
    const { app, system } = setting
    const client = await app.register()
    const username = await setting.addUser()
    const page = await setting.newPage()
    await page.goto(app.authorizeAddress(client))
    expect(await page.getByRole('main').innerText()).toContain('to continue to Acme')
    await logIn(page, username)
    expect(await heading(page)).toBe('Acme wants access to your account')
    const words = await page.getByRole('main').innerText()
    for (const word of [username, 'Read your data', 'See your user name', new URL(app.origin).host]) {
      expect(words).toContain(word)
    }
    expect(words).not.toContain('Change your data')

    expect(await answer(page, 'Allow')).toEqual(withCode())
    const { access_token, scope } = await app.redeem(client)
    expect(scope).toBe('read profile')
    expect(JSON.parse(await introspectionOf(system, access_token))).toMatchObject({
      active: true,
      username,
      client_id: client.client_id,
    })
  })

  test('returns to the app with access_denied when the user denies it, and asks again the next time', async () => {
    const { app } = setting
    const client = await app.register()
    const page = await loggedInPage(setting)
    await page.goto(app.authorizeAddress(client))
    expect(await answer(page, 'Deny')).toEqual({
      error: 'access_denied',
      error_description: expect.stringContaining('denied'),
      state: 'the state',
      iss: setting.system.baseUrl,
    })
    await page.goto(app.authorizeAddress(client))
    expect(await heading(page)).toBe('Acme wants access to your account')
  })

  test('remembers what the user allowed, and asks for more', async () => {
    const { app } = setting
    const client = await app.register({ scope: 'read write profile' })
    const page = await loggedInPage(setting)
    const narrow = app.authorizeAddress(client, { scope: 'read profile' })
    await page.goto(narrow)
    await answer(page, 'Allow')

    const before = app.answers.length
    await page.goto(narrow)
    await page.goto(app.authorizeAddress(client, { scope: 'profile' }))
    expect(app.answers.slice(before)).toEqual([withCode(), withCode()])

    await page.goto(app.authorizeAddress(client, { scope: 'read write' }))
    expect(await page.getByRole('main').innerText()).toContain('Change your data')
    expect(await answer(page, 'Allow')).toEqual(withCode())
    await page.goto(app.authorizeAddress(client, { scope: 'write profile' }))
    expect(page.url()).toContain(app.redirectUri)

    const other = await loggedInPage(setting)
    await other.goto(narrow)
    expect(await heading(other)).toBe('Acme wants access to your account')
  })

  test('does not ask the user about a first-party client', async () => {
    const { app } = setting
    const client = await app.register()
    await setting.sql('update clients.clients set first_party = true where client_id = $1', [
      client.client_id,
    ])
    const page = await setting.newPage()
    await page.goto(app.authorizeAddress(client))
    await logIn(page, await setting.addUser())
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.at(-1)).toEqual(withCode())
  })

  test('lets the app redirect the browser from its redirect URI to another origin', async () => {
    const { app } = setting
    const redirect_uri = `${app.origin}/elsewhere`
    const client = await app.register({ redirect_uris: [redirect_uri] })
    const onward = `http://localhost:${new URL(app.origin).port}/callback?*`
    const username = await setting.addUser()
    const page = await setting.newPage()
    await page.goto(app.authorizeAddress(client, { redirect_uri }))
    await logIn(page, username)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(onward)

    // Now the login itself leads there, without a page in between.
    await page.context().clearCookies()
    await page.goto(app.authorizeAddress(client, { redirect_uri }))
    await logIn(page, username)
    await page.waitForURL(onward)
    expect(app.answers.at(-1)).toEqual(withCode())
  })

  test.each([
    ['com.example.app:/cb', 'the app com.example.app'],
    ['com.example.app://bank.example/cb', 'the app com.example.app'],
  ])('returns to an app on a device at %s', async (redirect_uri, destination) => {
    const { app } = setting
    const client = await app.register({ redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' })
    const page = await setting.newPage()
    await page.goto(app.authorizeAddress(client, { redirect_uri }))
    await logIn(page, await setting.addUser())
    expect(await page.getByRole('main').innerText()).toContain(`you go back to ${destination}.`)
    // The app does not exist here, so the browser only tries to open it.
    const opened = page.waitForRequest((request) => request.url().startsWith(redirect_uri))
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(new URL((await opened).url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/)

    // Another app could have claimed the scheme, so the user is asked each time (RFC 8252 section 8.6).
    await page.goto(app.authorizeAddress(client, { redirect_uri }))
    expect(await heading(page)).toBe('Acme wants access to your account')
    expect(setting.complaints).toEqual([])
  })
})
