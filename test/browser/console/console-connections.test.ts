import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyClient, type Setting, startSetting } from '../support/setting.ts'
import {
  choose,
  confirmAction,
  heading,
  newOrganization,
  newResourceServer,
  newUser,
  notice,
  openConsole,
  send,
} from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('connections in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting({ ...everyClient, OAUTH2_ORGANIZATIONS_ENABLED: 'true' })
    page = await openConsole(setting, '/admin/connections')
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })

  /** Creates a connection to Google, whose metadata nobody reads. @returns its name, its id and the path of its page */
  async function newConnection(changes: object = {}) {
    const name = `Google ${randomUUID().slice(0, 8)}`
    const body = { kind: 'google', name, client_id: 'an id', client_secret: 'a secret', ...changes }
    const { connection_id: id } = await send(page, 'POST', '/admin/api/connections', body)
    return { name, id: String(id), path: `/admin/connections/${id}` }
  }

  /** Links a user, as their first login by a connection does. */
  const link = (connection: { id: string }, user: { id: string }, issuer = 'https://login.example') =>
    setting.sql(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
       values ($1, $2, $3, $4, 'Ann at Google')`,
      [connection.id, issuer, randomUUID(), user.id],
    )

  test('one is created for an organization by its kind, changed, disabled, enabled and deleted', async () => {
    const organization = await newOrganization(page)
    const name = `Entra ${randomUUID()}`
    const tenant = randomUUID()
    await page.goto(`${organization.path}?tab=connections`)
    await page.getByRole('main').getByRole('link', { name: 'Create connection' }).first().click()
    await expect.poll(() => page.getByLabel('Issuer').count()).toBe(1)
    await page.getByLabel('Kind').selectOption('microsoft')
    await expect.poll(() => page.getByLabel('Issuer').count()).toBe(0)
    await page.getByLabel(/^Name/).fill(name)
    await page.getByLabel('Client id').fill('an id')
    await page.getByLabel('Client secret').fill('a secret')
    expect(await page.getByLabel('New users').locator('option').allInnerTexts()).not.toContain('always')
    await button('Create connection').click()
    // The server says of which field something is wrong.
    await page.getByText('must name a tenant at least').waitFor()
    await page.getByLabel('Tenants').fill(tenant.toUpperCase())
    await button('Create connection').click()
    await heading(page, name)
    const path = new URL(page.url()).pathname
    const id = path.replace('/admin/connections/', '')
    await page.getByText(`${setting.system.baseUrl}/auth/callback/${id}`).waitFor()
    await page.getByRole('main').getByText(tenant, { exact: true }).waitFor()

    await page.getByRole('tab', { name: 'Settings' }).click()
    expect(await page.getByLabel('Client secret').inputValue()).toBe('')
    await page.getByLabel('On the login page').uncheck()
    await page.getByLabel('Client secret').fill('another secret')
    await button('Save changes').click()
    await notice(page, 'Saved.')
    const stored = () =>
      setting.sql(
        'select on_login_page, disabled_at is not null as disabled from identity.connections where connection_id = $1',
        [id],
      )
    expect(await stored()).toEqual([{ on_login_page: false, disabled: false }])

    await button('Disable').click()
    await page.getByRole('dialog').getByText('The logins that came by it end at once').waitFor()
    await confirmAction(page, 'Disable')
    await button('Enable').waitFor()
    expect(await stored()).toEqual([{ on_login_page: false, disabled: true }])
    await button('Enable').click()
    await button('Disable').waitFor()

    await page.goto(`${organization.path}?tab=connections`)
    await page.getByRole('main').getByRole('link', { name }).click()
    await heading(page, name)
    await button('Delete').click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await confirmAction(page, 'Delete')
    await page.waitForURL('**/admin/connections')
    await expect.poll(stored).toEqual([])
  })

  test('a mapping is edited row by row, and asks before a rule goes', async () => {
    const server = await newResourceServer(page)
    const group = `Developers ${randomUUID()}`
    await send(page, 'POST', '/admin/api/groups', { name: group })
    const connection = await newConnection()
    await page.goto(`${connection.path}?tab=mapping`)
    await button('Add rule').click()
    await page.getByLabel('Claim').fill('groups')
    await button('Save mapping').click()
    await page.getByText('Fill this in.').first().waitFor()
    await page.getByLabel('Value').fill('dev')
    await choose(page, 'Group', group)
    await button('Add rule').click()
    await page.getByLabel('Claim').nth(1).fill('groups')
    await page.getByLabel('Value').nth(1).fill('editors')
    await page.getByLabel('Gives').nth(1).selectOption('role')
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Role', 'editor')
    await button('Save mapping').click()
    await notice(page, 'Saved.')
    const mapping = async () =>
      (await send(page, 'PATCH', `/admin/api/connections/${connection.id}`, {})).mapping
    expect(await mapping()).toEqual([
      { claim: 'groups', value: 'dev', to: { group } },
      {
        ...{ claim: 'groups', value: 'editors' },
        to: { resource: expect.stringContaining('https://api.example/'), role: 'editor' },
      },
    ])
    // Nothing is unsaved when the page is opened anew.
    await page.reload()
    await button('Remove rule: groups').first().waitFor()
    expect(await button('Save mapping').isDisabled()).toBe(true)
    expect(await button('Discard changes').count()).toBe(0)
    await button('Remove rule: groups').first().click()
    await button('Save mapping').click()
    await page.getByRole('dialog').getByText('people lose what these rules gave them').waitFor()
    await confirmAction(page, 'Save mapping')
    await expect.poll(mapping).toMatchObject([{ value: 'editors' }])
  })

  test('its links say which lead to nobody, and end by a button; so do those of a user', async () => {
    const connection = await newConnection()
    const [ann, bob] = [await newUser(setting), await newUser(setting)]
    // No provider is there whose metadata the server could read.
    await setting.sql(
      `update identity.connections set kind = 'oidc', issuer = 'https://login.example' where connection_id = $1`,
      [connection.id],
    )
    await link(connection, ann)
    await link(connection, bob, 'https://earlier.example')
    await page.goto(`${connection.path}?tab=links`)
    await page.getByText('Links that lead to nobody: 1').waitFor()
    expect(await row(bob.name).innerText()).toMatch(/leads to nobody/i)
    expect(await row(ann.name).innerText()).toMatch(/works/i)
    await page.getByLabel(`Select ${bob.name}`).check()
    await button('Unlink').click()
    await confirmAction(page, 'Unlink (1)')
    await row(bob.name).waitFor({ state: 'detached' })

    await page.goto(`${ann.path}?tab=links`)
    await button(`Unlink ${connection.name}`).click()
    await page.getByRole('dialog').getByText('cannot log in at all if they have no other way').waitFor()
    await confirmAction(page, 'Unlink')
    await page.getByText('No account of another provider is linked.').waitFor()
    const left = 'select from identity.connection_links where connection_id = $1'
    expect(await setting.sql(left, [connection.id])).toEqual([])
  })

  test('the search finds it, a login is tried in a new tab, and the audit log says what was done', async () => {
    const connection = await newConnection()
    await page.goto('/admin/keys')
    await heading(page, 'Signing keys')
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder(/connections/).fill(connection.name)
    await page.getByRole('option').filter({ hasText: connection.name }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${connection.path}`)
    await page.getByRole('tab', { name: 'Test login' }).click()
    const tried = page.getByRole('link', { name: 'Try it in a new tab' })
    expect([await tried.getAttribute('href'), await tried.getAttribute('target')]).toEqual([
      `/auth/login/${connection.id}?test=yes`,
      '_blank',
    ])
    await page.goto('/admin/activity?tab=audit')
    const entry = row('Create connection').filter({ hasText: connection.name })
    await entry.getByRole('link', { name: connection.name }).click()
    await page.waitForURL(`**${connection.path}`)
  })

  test('a viewer sees all of it, and changes nothing', async () => {
    const connection = await newConnection()
    const viewer = await newUser(setting)
    await send(page, 'PATCH', `/admin/api/users/${viewer.id}`, { admin_role: 'viewer' })
    const looking = await openConsole(setting, connection.path, { username: viewer.name })
    await heading(looking, connection.name)
    await looking.getByText('Only owners change connections.').waitFor()
    expect(await looking.getByRole('tab').allInnerTexts()).toEqual([
      'Overview',
      'Links',
      'Test login',
      'Changes',
    ])
    await looking.context().close()
  })
})
