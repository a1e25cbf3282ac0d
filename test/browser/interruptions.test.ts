import { program } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, loggedInPage, logIn, type Setting, startSetting } from './support/setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('an interrupted login', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  test('gives each of two tabs its own answer', async () => {
    const { app } = setting
    const client = await app.register()
    const one = await loggedInPage(setting)
    const second = await one.context().newPage()
    await one.goto(app.authorizeAddress(client, { state: 'one' }))
    await second.goto(app.authorizeAddress(client, { state: 'two' }))
    const before = app.answers.length
    await one.getByRole('button', { name: 'Allow' }).click()
    await one.waitForURL(`${app.redirectUri}?*`)
    await second.getByRole('button', { name: 'Deny' }).click()
    await second.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.slice(before)).toMatchObject([
      { state: 'one', code: expect.any(String) },
      { state: 'two', error: 'access_denied' },
    ])
  })

  test('continues in a tab that still shows the login page after a login in another tab', async () => {
    const { app } = setting
    const client = await app.register()
    const username = await setting.addUser()
    const first = await setting.newPage()
    const second = await first.context().newPage()
    const third = await first.context().newPage()
    for (const tab of [first, second, third]) await tab.goto(app.authorizeAddress(client))
    await logIn(first, username)

    // Either with another login …
    await logIn(second, username)
    expect(await heading(second)).toBe('Acme wants access to your account')
    // … or after a reload.
    await third.reload()
    expect(await third.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)
    await third.getByRole('link', { name: 'Continue' }).click()
    await third.getByRole('button', { name: 'Allow' }).click()
    await third.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.at(-1)).toHaveProperty('code')
  })

  test('gives no second answer to the same question after the back button', async () => {
    const { app } = setting
    const client = await app.register()
    const page = await loggedInPage(setting)
    await page.goto(app.authorizeAddress(client))
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    const question = page.locator('input[name=question]')
    await page.goBack()
    // The browser has no cached page, so the server sends a new one with a new question.
    expect(await heading(page)).toBe('Acme wants access to your account')
    const asked = await question.inputValue()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.at(-1)).toHaveProperty('code')

    const before = app.answers.length
    await page.goBack()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.slice(before)).toEqual([expect.objectContaining({ code: expect.any(String) })])

    // Sends the answered form again, as a double click or a duplicated tab does.
    await page.goto('/account')
    await page.setContent(`<form method="post" action="/oauth/consent"><input name="question" value="${asked}">
      <button name="decision" value="allow">Again</button></form>`)
    await page.getByRole('button', { name: 'Again' }).click()
    expect(await heading(page)).toBe('This request does not work')
    expect(await page.getByRole('main').innerText()).toContain('answered already')
    expect(app.answers).toHaveLength(before + 1)
  })

  test('shows no consent page when the back button is used after a logout', async () => {
    const { app } = setting
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username)
    await page.goto(app.authorizeAddress(await app.register()))
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.waitForURL('**/auth/login')
    await page.goBack()
    expect(await heading(page)).toBe('Log in')
    expect(await page.content()).not.toContain(username)
  })

  test.each(['Allow', 'Deny'])(
    'gives the app nothing when the session ends before %s, and says what to do',
    async (button) => {
      const { app } = setting
      const page = await loggedInPage(setting)
      const address = app.authorizeAddress(await app.register())
      await page.goto(address)
      await setting.sql('delete from identity.sessions')
      const before = app.answers.length
      await page.getByRole('button', { name: button }).click()
      expect(await heading(page)).toBe('Your session has ended')
      expect(await page.getByRole('main').innerText()).toContain(
        'Go back to where you came from and start again',
      )
      expect(app.answers).toHaveLength(before)

      await page.goto(address)
      await logIn(page, 'admin')
      expect(await heading(page)).toBe('Acme wants access to your account')
    },
  )

  test('leads to the login and back when the session ends on the account page, and does nothing', async () => {
    const username = await setting.addUser()
    const other = await loggedInPage(setting, username)
    const page = await loggedInPage(setting, username)
    await setting.sql(
      `delete from identity.sessions where id = (select id from identity.sessions order by created_at desc limit 1)`,
    )
    await page.getByRole('button', { name: /^Log out Chrome/ }).click()
    expect(await heading(page)).toBe('Log in')
    await logIn(page, username)
    expect(page.url()).toBe(`${setting.system.baseUrl}/account`)
    await other.reload()
    expect(await heading(other)).toBe('Your account')
  })

  test('ends the previous user’s session and open question when another user logs in', async () => {
    const { app } = setting
    const page = await loggedInPage(setting)
    await page.goto(app.authorizeAddress(await app.register()))
    const second = await page.context().newPage()
    await second.goto('/auth/login')
    await logIn(second, await setting.addUser())
    await second.waitForURL('**/account')
    const before = app.answers.length
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await heading(page)).toBe('This request does not work')
    expect(app.answers).toHaveLength(before)
  })
})
