import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startOwnSetting } from '../support/setting.ts'
import { confirmAction, heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('resource servers and roles in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    // Of its own: it looks for a list without resource servers.
    setting = await startOwnSetting({})
    page = await openConsole(setting, '/admin')
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  const read = (path: string) => page.evaluate(async (from) => (await fetch(from)).json(), path)
  const roleOfOrders = async () => (await read('/admin/api/resources')).items[0].roles[0]

  /** Gives a new client a role of a resource server, and takes it again, which asks first. Comes back to the page. */
  async function giveRole(name: string, role: string) {
    const before = page.url()
    const { client_id: id } = await setting.system.register({
      ...{ client_name: name, grant_types: ['client_credentials'], scope: 'read' },
    })
    const roles = async () => (await read(`/admin/api/clients/${id}`)).roles
    await page.goto(`/admin/clients/${id}?tab=settings`)
    await page.getByRole('combobox', { name: 'Roles', exact: true }).click()
    await page.getByRole('option', { name: role }).click()
    await page.keyboard.press('Escape')
    await button('Save roles').click()
    await expect.poll(roles).toEqual([{ resource: 'https://orders.example', role }])
    await page.getByRole('combobox', { name: 'Roles', exact: true }).focus()
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Escape')
    await button('Save roles').click()
    expect(await page.getByRole('dialog').innerText()).toContain('Take https://orders.example: reader?')
    await confirmAction(page, 'Save roles')
    await expect.poll(roles).toBeUndefined()
    await page.goto(before)
  }

  test('a resource server is created, loses a scope and a role after a question, and is deleted by its name', async () => {
    await page.goto('/admin/resources/new')
    await page.getByLabel('Identifier').fill('https://orders.example')
    await page.getByLabel('Name', { exact: true }).fill('Orders')
    await page.getByLabel('Scope', { exact: true }).first().fill('orders:read')
    await page.getByLabel('What it allows').first().fill('Read your orders')
    await button('Add scope').click()
    await page.getByLabel('Scope', { exact: true }).last().fill('orders:write')
    await page.getByLabel('What it allows').last().fill('Change your orders')
    await button('Create resource server').click()
    await heading(page, 'Orders')

    await page.getByRole('tab', { name: 'Settings' }).click()
    await button(/^Remove/)
      .last()
      .click()
    await button('Save scopes').click()
    expect(await page.getByRole('dialog').innerText()).toContain(
      'All tokens for this resource server end at once.',
    )
    await page.getByRole('dialog').getByRole('button').last().click()
    await notice(page, 'Saved.')

    await button('Add role').click()
    await page.getByLabel('Its purpose').fill('Reads orders')
    await button('Save roles').click()
    await page.getByText('Enter a name.').waitFor()
    await page.getByLabel('Role', { exact: true }).fill('reader')
    await page.getByRole('combobox', { name: 'Scopes that it gives' }).click()
    await page.getByRole('option', { name: 'orders:read' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('Owners of organizations may give it').check()
    await button('Save roles').click()
    await expect.poll(roleOfOrders).toEqual({
      ...{ name: 'reader', description: 'Reads orders', scopes: ['orders:read'] },
      organizations_may_give: true,
    })
    await button('Give scopes by role').click()
    await confirmAction(page, 'Give scopes by role')
    await notice(page, 'The roles give the scopes of Orders.')
    await giveRole('Jobs', 'reader')

    await page.getByRole('tab', { name: 'Settings' }).click()
    await button('Remove: reader').click()
    await button('Save roles').click()
    expect(await page.getByRole('dialog').innerText()).toContain(
      'Access tokens that were made by these roles end at once.',
    )
    await confirmAction(page, 'Save roles')
    await expect.poll(roleOfOrders).toBeUndefined()

    await page.getByRole('tab', { name: 'Overview' }).click()
    await button('Delete').click()
    await page.getByLabel('Type Orders to confirm').fill('Orders')
    await confirmAction(page, 'Delete')
    await page.waitForURL('**/admin/resources')
    await page.getByText('No resource servers yet').waitFor()
  })
})
