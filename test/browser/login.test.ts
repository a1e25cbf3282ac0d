import { program } from '@gatehouse/test/programs/programs'
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
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('logging in and out with a browser', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  test('leads a user to their account, and an administrator to the administration', async () => {
    const username = await setting.addUser()
    const page = await setting.newPage()
    await page.goto('/account')
    expect(new URL(page.url()).pathname).toBe('/auth/login')
    expect(await heading(page)).toBe('Log in')
    await logIn(page, username.toUpperCase())
    expect(page.url()).toBe(`${setting.system.baseUrl}/account`)
    expect(await page.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)

    const admin = await loggedInPage(setting, 'admin')
    expect(admin.url()).toBe(`${setting.system.baseUrl}/admin`)
  })

  test('reports a wrong password, keeps the name, and focuses the password field', async () => {
    const username = await setting.addUser()
    const page = await setting.newPage()
    await page.goto('/auth/login?return_to=/account')
    await logIn(page, username, 'wrong')
    const wrong = 'The user name or the password is wrong. Check both and try again.'
    expect(await page.getByRole('alert').innerText()).toBe(wrong)
    expect(await page.getByLabel('User name').inputValue()).toBe(username)
    expect(await page.getByLabel('Password').inputValue()).toBe('')
    const focused = page.locator('input:focus')
    expect(await focused.getAttribute('name')).toBe('password')
    // This makes a screen reader read it together with the field.
    const describedBy = await focused.getAttribute('aria-describedby')
    expect(await page.locator(`#${describedBy}`).innerText()).toBe(wrong)
    expect(await userCookies(page)).toEqual([])

    await logIn(page, username)
    expect(page.url()).toBe(`${setting.system.baseUrl}/account`)

    await page.goto('/auth/login')
    await logIn(page, 'somebody else', 'wrong')
    expect(await page.getByRole('alert').innerText()).toBe(wrong)
  })

  test('lets the browser itself ask for missing fields', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/login')
    let posts = 0
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.isNavigationRequest()) posts += 1
    })
    await logIn(page, await setting.addUser(), '')
    expect(await page.locator('input:focus:invalid').getAttribute('name')).toBe('password')
    expect(posts).toBe(0)
  })

  test('throttles logins after ten wrong passwords, and says for how long', async () => {
    const username = await setting.addUser()
    const page = await setting.newPage()
    await page.goto('/auth/login')
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await (await setting.system.form('/auth/login', { username, password: 'wrong' })).text()
    }
    await logIn(page, username, 'wrong')
    expect(await page.getByRole('alert').innerText()).toContain('is wrong')
    const answer = page.waitForResponse('**/auth/login')
    await logIn(page, username)
    const { status, retryAfter } = await answer.then(async (response) => ({
      status: response.status(),
      retryAfter: Number(await response.headerValue('retry-after')),
    }))
    expect(status).toBe(429)
    expect(retryAfter).toBeGreaterThan(880)
    expect(retryAfter).toBeLessThanOrEqual(900)
    expect(await page.getByRole('alert').innerText()).toBe(
      'Too many failed logins. Please try again later, in 15 minutes.',
    )
    expect(await page.getByLabel('User name').inputValue()).toBe(username)

    // Other users can still log in.
    await logIn(page, await setting.addUser())
    expect(page.url()).toBe(`${setting.system.baseUrl}/account`)
    await setting.sql('delete from identity.login_failures')
  })

  test('never leads to another site after a login, whatever the return_to', async () => {
    const page = await setting.newPage()
    const hosts = new Set<string>()
    page.on('request', (request) => hosts.add(new URL(request.url()).host))
    const username = await setting.addUser()
    const ours = `${setting.system.baseUrl}/account`
    for (const returnTo of [
      '//evil.example',
      '%2F%2Fevil.example%2Faccount',
      encodeURIComponent('\\\\evil.example'),
      encodeURIComponent('/\\evil.example'),
      encodeURIComponent('/\t/evil.example'),
      encodeURIComponent('/..//evil.example'),
      'https:evil.example',
      encodeURIComponent('https://evil.example/?'),
      encodeURIComponent('javascript:alert(1)'),
      encodeURIComponent(`${new URL(ours).host}@evil.example`),
    ]) {
      await page.goto(`/auth/login?return_to=${returnTo}`)
      await logIn(page, username)
      expect([returnTo, page.url()]).toEqual([returnTo, ours])
    }
    expect([...hosts]).toEqual([new URL(ours).host])
  })

  test('leaves nothing of the account in the browser after a logout, even with the back button', async () => {
    const username = await setting.addUser()
    const page = await loggedInPage(setting, username)
    await page.getByRole('navigation').getByRole('button', { name: 'Log out' }).click()
    expect(page.url()).toBe(`${setting.system.baseUrl}/auth/login`)
    const cookies = await userCookies(page, setting.system.baseUrl)
    expect(cookies.map(({ name }) => name)).toEqual([])
    expect(
      await setting.sql(
        'select 1 from identity.sessions s join identity.users u on u.id = s.user_id where username = $1',
        [username],
      ),
    ).toEqual([])

    await page.goBack()
    expect(new URL(page.url()).pathname).toBe('/auth/login')
    expect(await page.content()).not.toContain(username)
  })

  test('keeps the session cookie from scripts and other sites', async () => {
    const page = await loggedInPage(setting)
    const cookies = await userCookies(page, setting.system.baseUrl)
    expect(cookies).toEqual([
      expect.objectContaining({
        name: 'gatehouse_session',
        path: '/',
        httpOnly: true,
        sameSite: 'Lax',
        secure: false,
      }),
    ])
    const lifetime = (cookies[0]?.expires ?? 0) - Date.now() / 1000
    expect(lifetime).toBeGreaterThan(43_100)
    expect(lifetime).toBeLessThanOrEqual(43_201)
    expect(await page.evaluate('document.cookie')).toBe('')
  })

  test('a button shows the password until it is sent', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/login')
    await page.getByLabel('User name').fill(await setting.addUser())
    const field = page.getByLabel('Password')
    await field.fill(password)
    await page.getByRole('button', { name: 'Show' }).click()
    expect([await field.getAttribute('type'), await field.inputValue()]).toEqual(['text', password])
    await expectUsable(page)
    const button = page.getByRole('button', { name: 'Hide' })
    expect(await button.getAttribute('aria-controls')).toBe(await field.getAttribute('id'))
    await button.click()
    expect(await field.getAttribute('type')).toBe('password')

    await page.getByRole('button', { name: 'Show' }).click()
    // The type of the field that the browser sees when the form goes out.
    const type = page.evaluate(`new Promise((resolve) => {
      addEventListener('submit', (event) => resolve(event.target.elements.password.type))
    })`)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    expect(await type).toBe('password')
    await page.waitForURL('**/account')
  })
})
