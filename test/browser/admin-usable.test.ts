import { program } from '@gatehouse/test/programs'
import type { RegisteredClient } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askForToken, message, openUser } from './administration.ts'
import { heading, loggedInPage, type Setting, startSetting } from './setting.ts'
import { expectUsable } from './usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('every page for administrators', () => {
  let setting: Setting
  let page: Page
  let client: RegisteredClient
  let userId: string
  beforeAll(async () => {
    setting = await startSetting()
    page = await loggedInPage(setting, 'admin')
    client = await setting.system.register({
      client_name: `${'Consolidated'.repeat(8)} <b>& Sons</b>`,
      grant_types: ['authorization_code', 'client_credentials'],
      scope: 'read write profile email',
      redirect_uris: Array.from(
        { length: 20 },
        (_, n) => `https://app${n}.example/${'a-long-path-'.repeat(9)}`,
      ),
    })
    await askForToken(setting, client)
    userId = await openUser(page, setting, await setting.addUser('w'.repeat(64)))
    await page.goto('/admin/keys/HS256/rotate')
    await page.getByRole('button', { name: 'Rotate the key' }).click()
  })
  afterAll(() => setting?.stop())

  test.each([
    ['dashboard', () => '/admin'],
    ['clients', () => '/admin/clients'],
    ['no client found', () => '/admin/clients?search=nobody'],
    ['a client', () => `/admin/clients/${client.client_id}?done=client-changed`],
    ['a new client', () => '/admin/clients/new'],
    ['changing a client', () => `/admin/clients/${client.client_id}/edit`],
    ['a question', () => `/admin/clients/${client.client_id}/delete`],
    ['a question with a choice', () => `/admin/clients/${client.client_id}/secret`],
    ['tokens', () => '/admin/tokens'],
    ['no tokens', () => '/admin/tokens?client_id=client_none'],
    ['users', () => '/admin/users'],
    ['a user', () => `/admin/users/${userId}`],
    ['a new user', () => '/admin/users/new'],
    ['changing a user', () => `/admin/users/${userId}/edit`],
    ['a question with a password', () => `/admin/users/${userId}/password`],
    ['keys', () => '/admin/keys'],
    ['log', () => '/admin/audit'],
    ['logins', () => '/admin/logins'],
    ['failed client authentications', () => '/admin/client-authentication-failures'],
    ['no logins', () => '/admin/logins?client_id=client_none&outcome=failed'],
  ])('%s: is accessible and causes no browser warning', async (_, path) => {
    setting.complaints.length = 0
    await page.goto(path())
    await expectUsable(page)
    expect(setting.complaints).toEqual([])
  })

  test('a refused form, a refused confirmation, an error and a secret are accessible', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name').fill('No redirect URI')
    await page.getByRole('button', { name: 'Create client' }).click()
    await page.getByRole('alert').waitFor()
    await expectUsable(page)
    await page.getByLabel('Redirect URIs').fill('https://a.example/')
    await page.getByRole('button', { name: 'Create client' }).click()
    await page.getByRole('link', { name: 'I have copied it' }).waitFor()
    await expectUsable(page)
    await page.goto(`/admin/users/${userId}/password`)
    await page.getByLabel('New password').fill('short')
    await page.getByRole('button', { name: 'Reset password' }).click()
    await page.getByRole('alert').waitFor()
    await expectUsable(page)
    await page.goto('/admin/clients/client_none')
    await expectUsable(page)
  })

  test('works with the keyboard: the focus visits everything in reading order and is visible', async () => {
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.goto('/admin/clients')
    const focused = () =>
      page.evaluate(`(() => {
        const element = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(element)
        const { left, top, width } = element.getBoundingClientRect()
        const name = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent
        return { name: name.trim(), visible: outlineStyle !== 'none' && outlineWidth !== '0px' && width > 0 && left >= 0 && top >= 0 }
      })()`) as Promise<{ name: string; visible: boolean }>
    const order: string[] = []
    for (let presses = 0; presses < 17; presses++) {
      await page.keyboard.press('Tab')
      const { name, visible } = await focused()
      expect([name, visible]).toEqual([name, true])
      order.push(name)
    }
    expect(order.slice(0, 16)).toEqual([
      ...[
        'Skip to the content',
        'Gatehouse',
        'Dashboard',
        'Clients',
        'Resources',
        'Tokens',
        'Users',
        'Keys',
        'Audit',
        'Logins',
        'Mails',
      ],
      ...['admin', 'Log out', 'New client', 'Name or id', 'Search'],
    ])
    expect(order[16]).toBe('Clients')

    await page.goto('/admin/clients')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect((await focused()).name).toBe('New client')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/admin/clients/new')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    for (const key of ['Tab', 'B', 'y', 'Tab', 'Space', 'Tab', 'Space']) await page.keyboard.press(key)
    for (let presses = 0; presses < 20 && (await focused()).name !== 'Create client'; presses++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await heading(page)).toBe('Client created')
    expect(await page.getByRole('main').innerText()).toContain('By')
  })

  test('a confirmation works with the keyboard', async () => {
    await page.goto(`/admin/clients/${client.client_id}/end-tokens`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/*done=tokens-ended')
    expect(await message(page)).toBe('All tokens are revoked.')
  })
})
