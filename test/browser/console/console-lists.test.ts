import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { confirmAction, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('lists and forms of the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin/users')
  })
  afterAll(() => setting?.stop())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const disabledOf = async (names: readonly string[]) => {
    const rows = await setting.sql<{ disabled: boolean }>(
      'select disabled_at is not null as disabled from identity.users where username = any($1) order by username',
      [names],
    )
    return rows.map(({ disabled }) => disabled)
  }

  test('many users are disabled as one is: with a question, in words, and with an undo that takes back what was done', async () => {
    const herd = `herd-${randomUUID()}`
    const names = ['a', 'b', 'c'].map((one) => `${herd}-${one}`)
    for (const name of names) await setting.addUser(name)
    await setting.sql('update identity.users set disabled_at = now() where username = $1', [names[2]])
    await page.goto(`/admin/users?search=${herd}`)
    await page.getByLabel('Select all rows on this page').check()
    await button('Disable').click()
    expect(await page.getByRole('dialog').innerText()).toContain('They are logged out everywhere')
    // One of the three is disabled already: it is neither disabled again nor enabled by Undo.
    await confirmAction(page, 'Disable (2)')
    await notice(page, '2 users are disabled.')
    expect(await disabledOf(names)).toEqual([true, true, true])
    // Somebody else has enabled the first one meanwhile, so that nothing of it is left to undo.
    await setting.sql('update identity.users set disabled_at = null where username = $1', [names[0]])
    await button('Undo').click()
    await notice(page, '1 of 2 failed.')
    await notice(page, 'Somebody else has changed this since.')
    expect(await disabledOf(names)).toEqual([false, false, true])
  })

  test('an administrator cannot select themselves to be disabled', async () => {
    await page.goto('/admin/users?search=admin')
    await page.getByLabel('Select admin', { exact: true }).check()
    expect(await button('Disable').isDisabled()).toBe(true)
  })

  test('an error of a list stands alone: nothing says that there is nothing', async () => {
    const other = await openConsole(setting, '/admin/keys')
    const lists = /\/admin\/api\/(?!me)/
    for (const section of [
      'users',
      'groups',
      'clients',
      'resources',
      'tokens',
      'mails',
      'events',
      'activity',
    ]) {
      await other.route(lists, (route) =>
        // A refusal, which the console does not try again by itself.
        route.fulfill({
          status: 400,
          json: { error: 'invalid_request', error_description: 'Something broke.' },
        }),
      )
      await other.goto(`/admin/${section}`)
      await other.getByRole('alert').getByText('Something broke.').first().waitFor()
      expect(await other.getByRole('main').innerText()).not.toMatch(/ yet\b|Nothing (matches|is here)|^No /m)
      await other.unroute(lists)
      await other.getByRole('button', { name: 'Try again' }).first().click()
      await other.getByRole('alert').waitFor({ state: 'detached' })
    }
    await other.context().close()
  })

  test.each(['de', 'ar'] as const)(
    'forms have labels in %s, and no field that nobody may set',
    async (locale) => {
      const name = await setting.addUser()
      const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
        name,
      ])
      const client = await setting.system.register({
        client_name: 'Worded',
        grant_types: ['client_credentials'],
      })
      const other = await openConsole(setting, '/admin', { locale })
      const forms: Record<string, readonly string[]> = {}
      for (const [path, first] of [
        ['/admin/users/new', 'username'],
        ['/admin/users/new?tab=invitation', 'email'],
        [`/admin/users/${user?.id}?tab=profile`, 'name'],
        ['/admin/clients/new', 'client_name'],
        [`/admin/clients/${client.client_id}?tab=settings`, 'client_name'],
        ['/admin/resources/new', 'identifier'],
      ] as const) {
        await other.goto(path)
        await other.locator(`form [name="${first}"]`).waitFor()
        const more = other.locator('form button[aria-expanded=false]')
        if (await more.count()) await more.first().click()
        const fields = await other
          .locator('form input[name]:not([type=hidden]), form textarea[name], form select[name]')
          .evaluateAll((inputs) => {
            const fields: unknown[] = inputs
            return (fields as { name: string; labels?: Iterable<{ textContent: string }> }[]).map(
              ({ name, labels }) => [
                name,
                [...(labels ?? [])].map(({ textContent }) => textContent.replace('*', '').trim()).join(' '),
              ],
            )
          })
        forms[path] = fields
          .filter(([field, label]) => !label || label === field)
          .map(([field]) => field ?? '')
        expect(fields.length).toBeGreaterThan(2)
        expect(fields.map(([field]) => field)).not.toContain('revision')
        if (path.includes('profile')) expect(fields[0]?.[0]).toBe('name')
      }
      expect(Object.values(forms).flat()).toEqual([])
      await other.context().close()
    },
  )
})
