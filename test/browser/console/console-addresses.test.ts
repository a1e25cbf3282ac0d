import { program } from '@gatehouse/test/programs/programs'
import type { RegisteredClient } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { follow, heading, openConsole, send } from './console.ts'
import { settled } from './settled.ts'

const chromium = await program('chromium')

/** An action on a page, and the address that it must lead to. */
type Change = [name: string, from: () => string, act: () => Promise<unknown>, address: RegExp]

// A reload and a link that somebody shares show the same page, with any state in the address bar.
describe.skipIf(!chromium)('every address of the console, reloaded', () => {
  let setting: Setting
  let page: Page
  const ids = { client: '', user: '', group: '', organization: '', ownGroup: '', connection: '', name: '' }
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin')
    const clients: RegisteredClient[] = []
    // One after the other: a busy gateway refuses what waits too long.
    for (let n = 0; n < 55; n += 1)
      clients.push(
        await setting.system.register({
          client_name: `Reloaded ${n}`,
          grant_types: ['client_credentials'],
          scope: 'read',
        }),
      )
    const [first] = clients
    if (first === undefined) throw new Error('no client was registered')
    ids.client = first.client_id
    await setting.system.form('/oauth/token', { grant_type: 'client_credentials', ...first })
    const post = (path: string, body: object) => send(page, 'POST', path, body)
    ids.group = String((await post('/admin/api/groups', { name: 'Reloaded' })).group_id)
    const organization = { name: 'Reloaded Inc.', slug: 'reloaded' }
    ids.organization = String((await post('/admin/api/organizations', organization)).organization_id)
    const place = `/admin/api/organizations/${ids.organization}`
    ids.ownGroup = String((await post(`${place}/groups`, { name: 'Reloaded' })).group_id)
    const connection = { kind: 'google', name: 'Reloaded', client_id: 'reloaded', client_secret: 'secret' }
    ids.connection = String((await post('/admin/api/connections', connection)).connection_id)
    ids.name = await setting.addUser()
    await setting.system.form('/auth/login', { username: ids.name, password: 'wrong' })
    const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      ids.name,
    ])
    ids.user = user?.id ?? ''
    // Tokens are counted a moment after they were issued, and the dashboard then has one row more.
    const counted = async () => {
      const answer = await page.request.get('/admin/api/usage/clients?days=1')
      const { items }: { items: { client_id: string }[] } = await answer.json()
      return items.map((item) => item.client_id)
    }
    await vi.waitFor(async () => expect(await counted()).toContain(ids.client), 20_000)
  })
  afterAll(() => setting?.stop())

  test('each link of the navigation, and the name of the product, leads to a page that a reload shows again', async () => {
    await page.goto('/admin/keys')
    await page.locator('h1').waitFor()
    const links = page.getByRole('navigation').getByRole('link')
    const names = await links.allInnerTexts()
    expect(names).toEqual(expect.arrayContaining(['Dashboard', 'Create an app', 'Clients', 'Events']))
    for (const name of names) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await expectSameAfterReload(page, name)
      expect(
        await page
          .getByRole('navigation')
          .getByRole('link', { name, exact: true })
          .getAttribute('aria-current'),
      ).toBe('page')
    }
    await page.getByRole('banner').getByRole('link', { name: 'Gatehouse' }).click()
    await page.waitForURL(`${setting.system.baseUrl}/admin`)
    await expectSameAfterReload(page, 'Dashboard')
  })

  const select = (name: string, value: string) => () =>
    page.getByLabel(name, { exact: true }).selectOption(value)
  const click = (role: 'button' | 'tab' | 'link', name: string | RegExp) => () =>
    page
      .getByRole('main')
      .getByRole(role, { name, exact: typeof name === 'string' })
      .first()
      .click()
  const type = (name: string | RegExp, text: string) => async () => {
    await page
      .getByRole('main')
      .getByLabel(name, { exact: typeof name === 'string' })
      .fill(text)
    await page.keyboard.press('Enter')
  }
  const changes: Change[] = [
    [
      'the range of the dashboard',
      () => '/admin',
      () => page.getByText('30 days').first().click(),
      /\/admin\?range=30d$/,
    ],
    [
      'a number of the dashboard',
      () => '/admin',
      click('link', /^Failed logins/),
      /\/activity\?tab=logins&outcome=failed/,
    ],
    ['a kind of app', () => '/admin/start', click('button', /^Web app/), /\/start\?kind=web$/],
    [
      'a search',
      () => '/admin/clients',
      () => page.getByRole('searchbox').fill('Reloaded 7'),
      /search=Reloaded(\+|%20)7$/,
    ],
    ['a filter', () => '/admin/clients', select('State', 'true'), /disabled=true$/],
    ['an order', () => '/admin/clients', click('button', 'Created'), /sort=-?created_at$/],
    [
      'the columns',
      () => '/admin/clients',
      async () => {
        await click('button', 'Columns')()
        await page.getByRole('dialog').getByLabel('ID', { exact: true }).check()
      },
      /columns=[\w%]*client_id/,
    ],
    ['the next page', () => '/admin/clients?search=Reloaded', click('button', 'Next page'), /cursor=/],
    [
      'a client',
      () => '/admin/clients?search=Reloaded%200',
      click('link', 'Reloaded 0'),
      /\/clients\/client_[\w-]+$/,
    ],
    ['a tab of a client', () => `/admin/clients/${ids.client}`, click('tab', 'Settings'), /\?tab=settings$/],
    ['tokens of a client', () => `/admin/clients/${ids.client}`, click('tab', /tokens/i), /\?tab=tokens$/],
    ['users by role', () => '/admin/users', select('Role', 'owner'), /admin_role=owner$/],
    ['a user', () => `/admin/users?search=${ids.name}`, () => click('link', ids.name)(), /\/users\/[\w-]+$/],
    ['a tab of a group', () => `/admin/groups/${ids.group}`, click('tab', 'Members'), /\?tab=members$/],
    ['groups by creation', () => '/admin/groups', click('button', 'Created'), /sort=-?created_at$/],
    [
      'a tab of an organization',
      () => `/admin/organizations/${ids.organization}`,
      click('tab', 'Members'),
      /\?tab=members$/,
    ],
    [
      'a group of an organization',
      () => `/admin/organizations/${ids.organization}?tab=groups`,
      click('link', 'Reloaded'),
      /\/organizations\/org_[\w-]+\/groups\/[\w-]+$/,
    ],
    ['organizations by state', () => '/admin/organizations', select('State', 'false'), /disabled=false$/],
    [
      'a tab of a connection',
      () => `/admin/connections/${ids.connection}`,
      click('tab', 'Links'),
      /\?tab=links$/,
    ],
    ['connections by kind', () => '/admin/connections', select('Kind', 'google'), /kind=google$/],
    ['a tab of a user', () => `/admin/users/${ids.user}`, click('tab', 'Security'), /\?tab=security$/],
    [
      'all activity of a user',
      () => `/admin/users/${ids.user}`,
      click('link', 'All activity'),
      /\/activity\?user_id=/,
    ],
    ['tokens by client', () => '/admin/tokens', () => type('Client ID', ids.client)(), /client_id=client_/],
    ['a tab of the activity', () => '/admin/activity', click('tab', 'Audit log'), /\?tab=audit$/],
    [
      'live',
      () => '/admin/activity',
      () => page.getByRole('switch', { name: 'Live' }).click({ force: true }),
      /live=true$/,
    ],
    ['a moment', () => '/admin/activity', type('From', '2026-01-02T03:04'), /since=2026-01-02T03(:|%3A)04$/],
    [
      'somebody found',
      () => '/admin/activity',
      async () => {
        await page.getByRole('combobox', { name: /^Find/ }).fill(ids.name)
        await page.getByRole('option').getByText(ids.name).click()
      },
      /user_id=[\w-]+$/,
    ],
    [
      'a search in the bar',
      () => '/admin/keys',
      async () => {
        await page.getByRole('button', { name: /^Search/ }).click()
        await page.getByPlaceholder(/ID of a token/).fill(ids.name)
        await page.getByRole('option').getByText(ids.name).click()
      },
      /\/users\/[\w-]+$/,
    ],
    ['mails by state', () => '/admin/mails', select('State', 'failed'), /state=failed$/],
    ['events by type', () => '/admin/events', type('Event', 'login_failed'), /event_type=login_failed$/],
  ]

  test.each(changes)('%s', async (_, from, act, address) => {
    await follow(page, from())
    await settled(page)
    await act()
    await expect.poll(() => page.url()).toMatch(address)
    await expectSameAfterReload(page)
  })

  test('every link of every page leads to a page', async () => {
    const paths = [
      '/admin',
      '/admin/start',
      '/admin/clients',
      `/admin/clients/${ids.client}`,
      '/admin/users',
      `/admin/users/${ids.user}`,
      '/admin/groups',
      `/admin/groups/${ids.group}`,
      '/admin/organizations',
      `/admin/organizations/${ids.organization}`,
      `/admin/organizations/${ids.organization}?tab=groups`,
      `/admin/organizations/${ids.organization}/groups/${ids.ownGroup}`,
      '/admin/connections',
      `/admin/connections/${ids.connection}`,
      '/admin/resources',
      '/admin/tokens',
      '/admin/activity',
      '/admin/activity?tab=audit',
      '/admin/keys',
      '/admin/mails',
      '/admin/events',
      '/admin/nothing',
    ]
    const found = new Set<string>()
    for (const path of paths) {
      await follow(page, path)
      await settled(page)
      for (const link of await page.locator('a[href^="/"]').all())
        found.add(String(await link.getAttribute('href')).replace(/#.*/, ''))
    }
    expect([...found]).toEqual(expect.arrayContaining(['/admin', '/admin/users/new']))
    expect([...found].filter((href) => new URL(href, setting.system.baseUrl).pathname.endsWith('/'))).toEqual(
      [],
    )
    for (const href of found) {
      const answer = await page.request.get(href)
      expect([href, answer.status()]).toEqual([href, 200])
    }
  })

  test.each([
    ['/admin/', '/admin'],
    ['/admin/?range=30d', '/admin?range=30d'],
    ['/admin/clients/?search=Reloaded', '/admin/clients?search=Reloaded'],
    ['/admin/users/new/', '/admin/users/new'],
  ])('%s is the same page as %s', async (path, canonical) => {
    expect((await page.goto(path))?.status()).toBe(200)
    const here = await settled(page)
    await page.goto(canonical)
    expect(await settled(page)).toEqual(here)
  })

  test.each([
    '/admin/nothing',
    '/admin/nothing/at/all',
    '/admin/keys/none',
    '/admin/clients/a/b',
    '/admin/organizations/a/b',
    '/admin/organizations/a/domains/b',
    '/admin/dashboard',
  ])('%s keeps the frame, says that there is no page, and leads on', async (path) => {
    expect((await page.goto(path))?.status()).toBe(404)
    await heading(page, 'Page not found.')
    await expect.poll(() => page.getByRole('navigation').getByRole('link').count()).toBeGreaterThan(5)
    await page.getByRole('main').getByRole('link', { name: 'Go to Dashboard' }).click()
    await page.waitForURL(`${setting.system.baseUrl}/admin`)
    await heading(page, 'Dashboard')
  })
})

/** Reloads a page and expects it at the same address, with the same heading, tab, columns, filters and rows. */
async function expectSameAfterReload(page: Page, title?: string): Promise<void> {
  if (title !== undefined) await heading(page, title)
  const before = await settled(page)
  const address = page.url()
  const answer = await page.reload()
  expect([address, answer?.status()]).toEqual([address, 200])
  expect(await settled(page)).toEqual(before)
  expect(page.url()).toBe(address)
}
