import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heading, logIn, password, type Setting, startSetting } from './support/setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('everything from the login to the logout', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting()
  })
  afterAll(() => setting?.stop())

  test('works without JavaScript', async () => {
    const { app, system } = setting
    const username = await setting.addUser()
    const page = await setting.newPage({ javaScriptEnabled: false })
    await page.goto(app.authorizeAddress(await app.register()))
    await logIn(page, username, 'wrong')
    await logIn(page, username)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.at(-1)).toHaveProperty('code')

    await page.goto(`${system.baseUrl}/account`)
    await page.getByRole('button', { name: 'Withdraw the access of Acme' }).click()
    expect(await page.getByRole('status').innerText()).toContain('withdrawn')
    await page.getByLabel('Current password').fill(password)
    await page.getByLabel('New password', { exact: true }).fill('another good password')
    await page.getByLabel('Repeat the new password').fill('another good password')
    await page.getByRole('button', { name: 'Change password' }).click()
    expect(await page.getByRole('status').innerText()).toContain('changed')
    await page.getByRole('button', { name: 'Log out', exact: true }).click()
    expect(page.url()).toBe(`${system.baseUrl}/auth/login`)
  })

  test('works with the keyboard alone, with a visible focus', async () => {
    const { app, system } = setting
    const page = await setting.newPage()
    const { keyboard } = page
    await page.goto(app.authorizeAddress(await app.register()))
    await page.locator('input[name=username]:focus').waitFor()
    expect(await stops(page, 3)).toEqual(['input username', 'input password', 'Show', 'Log in'])
    await page.reload()
    await page.locator('input[name=username]:focus').waitFor()
    await keyboard.type(await setting.addUser())
    await keyboard.press('Tab')
    await keyboard.type('wrong')
    await keyboard.press('Enter')
    // The focus is where the user continues.
    await page.locator('[role=alert] ~ form input[name=password]:focus').waitFor()
    await keyboard.type(password)
    await keyboard.press('Enter')

    await page.getByRole('button', { name: 'Allow' }).waitFor()
    await keyboard.press('Tab')
    expect(await stops(page, 4)).toEqual(['Account', 'Log out', 'Allow', 'Deny', 'your account'])
    await keyboard.press('Shift+Tab')
    await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(app.answers.at(-1)).toHaveProperty('code')

    await page.goto(`${system.baseUrl}/account`)
    await keyboard.press('Tab')
    expect(await stops(page, 16)).toEqual([
      'Account',
      'Log out',
      'Change your details',
      'Change your e-mail address',
      'Withdraw the access of Acme',
      'Log out here',
      'Your logins',
      'Add a passkey',
      'Set up an authenticator app',
      'input current_password',
      'Show',
      'input new_password',
      'Show',
      'input new_password_again',
      'Show',
      'input keep_access',
      'Change password',
    ])
    for (let step = 0; step < 12; step += 1) await keyboard.press('Shift+Tab')
    await keyboard.press('Enter')
    await page.getByRole('status').waitFor()
    for (let step = 0; step < 2; step += 1) await keyboard.press('Tab')
    await keyboard.press('Enter')
    await page.waitForURL('**/auth/login')
    expect(await heading(page)).toBe('Log in')
  })
})

/** The focused element, and those after each press of Tab. Each must have a visible outline. */
async function stops(page: Page, steps: number): Promise<string[]> {
  const names: string[] = []
  for (let step = 0; step <= steps; step += 1) {
    if (step > 0) await page.keyboard.press('Tab')
    const { name, outline } = (await page.evaluate(focused)) as { name: string; outline: string }
    expect([name, outline]).toEqual([name, expect.stringMatching(/^solid 3px rgb\(/)])
    names.push(name)
  }
  return names
}

const focused = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
  return {
    name: element.ariaLabel ?? (element.name && element.tagName === 'INPUT' ? 'input ' + element.name : element.innerText),
    outline: [outlineStyle, outlineWidth, outlineColor].join(' '),
  }
})()`
