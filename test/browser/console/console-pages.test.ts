import { randomUUID } from 'node:crypto'
import { until } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startSetting } from '../support/setting.ts'
import { expectToFit, expectUsable } from '../support/usable.ts'
import { follow, openConsole, send as sendFrom } from './console.ts'

const chromium = await program('chromium')

/** A name with a script, which would run if a page took it for more than text. */
const hostile = `"><img src=x onerror=alert(1)><b>& Sons</b>`
const widths = [360, 768, 1280]

describe.skipIf(!chromium)('every page of the console', () => {
  let setting: Setting
  let page: Page
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    setting = await startSetting()
    page = await openConsole(setting, '/admin')
    const client = await setting.system.register({
      client_name: `${hostile}${'Consolidated'.repeat(6)}`,
      grant_types: ['authorization_code', 'client_credentials'],
      scope: 'read write profile email',
      redirect_uris: Array.from(
        { length: 20 },
        (_, n) => `https://app${n}.example/${'a-long-path-'.repeat(9)}`,
      ),
    })
    ids.client = client.client_id
    await setting.system.form('/oauth/token', { grant_type: 'client_credentials', ...client })
    await setting.system.form('/oauth/token', {
      grant_type: 'client_credentials',
      ...client,
      client_secret: 'x',
    })
    const name = await setting.addUser('w'.repeat(64))
    const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      name,
    ])
    ids.user = user?.id ?? ''
    await setting.sql(
      `update identity.users set attributes = jsonb_build_object('name', $2::text, 'email', 'w@example.com') where id = $1`,
      [ids.user, hostile],
    )
    const [mail] = await setting.sql<{ mail_id: string }>(
      `insert into identity.mails (mail_id, kind, user_id, recipient, language, state, ended_at, attempts, failure)
       values (gen_random_uuid(), 'sign_up', $1, 'w@example.com', 'en', 'failed', now(), 9, $2) returning mail_id`,
      [ids.user, hostile],
    )
    ids.mail = mail?.mail_id ?? ''
    const [event] = await setting.sql<{ event_id: string }>(
      `insert into events.webhook_deliveries
        (event_id, event_type, client_id, user_id, state, attempts, status, failure, changed_at, envelope)
      values (gen_random_uuid(), $1, $2, $3, 'refused', 1, 422, $1, now(), $4) returning event_id`,
      [
        hostile,
        ids.client,
        ids.user,
        JSON.stringify({ event: { id: 'x', event_type: hostile }, attributes: {} }),
      ],
    )
    ids.event = event?.event_id ?? ''
    const send = (method: 'POST' | 'PATCH', path: string, body: object) => sendFrom(page, method, path, body)
    const resource = await send('POST', '/admin/api/resources', {
      identifier: `https://api.example/${ids.client}`,
      name: hostile,
      client_id: ids.client,
      scopes: [{ scope: 'orders:read', description: hostile }],
      roles: [{ name: 'r'.repeat(60), description: hostile, scopes: ['orders:read'] }],
    })
    ids.resource = String(resource.resource_id)
    const group = await send('POST', '/admin/api/groups', {
      name: `${hostile}${'Department'.repeat(9)}`,
      description: hostile,
    })
    ids.group = String(group.group_id)
    await send('PATCH', `/admin/api/groups/${ids.group}/members`, { add: [ids.user] })
    const give = [{ resource_id: ids.resource, role: 'r'.repeat(60) }]
    await send('PATCH', `/admin/api/groups/${ids.group}/roles`, { give })
    await send('PATCH', `/admin/api/users/${ids.user}/roles`, { give })
    const organization = await send('POST', '/admin/api/organizations', {
      name: `${hostile}${'Corporation'.repeat(9)}`,
      slug: `o-${randomUUID()}`,
      logo_uri: `https://logo.example/${'a-long-path-'.repeat(20)}`,
      color: '#0b5cad',
      attributes: { note: hostile },
    })
    ids.organization = String(organization.organization_id)
    const place = `/admin/api/organizations/${ids.organization}`
    await send('PATCH', `${place}/members`, { set: [{ user_id: ids.user, role: 'owner' }] })
    await send('PATCH', `${place}/members/${ids.user}/roles`, { give })
    await send('POST', `${place}/domains`, { domain: `${'long-'.repeat(10)}name.${randomUUID()}.example` })
    const ownGroup = await send('POST', `${place}/groups`, { name: hostile, description: hostile })
    ids.ownGroup = String(ownGroup.group_id)
    await send('PATCH', `${place}/groups/${ids.ownGroup}/members`, { add: [ids.user] })
    await setting.sql(
      `insert into identity.organization_invitations
        (invitation_id, organization_id, address, role, language, inviter_name, expires_at)
       values (gen_random_uuid(), $1, $2, 'admin', 'en', $3, now() + interval '1 day')`,
      [ids.organization, `${'w'.repeat(60)}@example.com`, hostile],
    )
    const connection = await send('POST', '/admin/api/connections', {
      ...{ kind: 'microsoft', name: hostile, client_id: 'c'.repeat(200), client_secret: 'a secret' },
      ...{ organization: ids.organization, tenants: [randomUUID(), randomUUID()] },
      domains: [`${'long-'.repeat(10)}name.${randomUUID()}.example`],
      mapping: [
        { claim: 'c'.repeat(90), to: { attribute: 'department' } },
        { claim: 'groups', value: hostile, to: { group: hostile } },
      ],
    })
    ids.connection = String(connection.connection_id)
    await setting.sql(
      `insert into identity.connection_links (connection_id, issuer, subject, user_id, display_name)
       values ($1, 'https://earlier.example', $2, $3, $4)`,
      [ids.connection, 's'.repeat(200), ids.user, hostile],
    )
    const failed = await setting.newPage()
    await failed.goto('/auth/login')
    await failed.getByLabel('User name').fill(name)
    await failed.getByLabel('Password').fill('wrong')
    await failed.getByRole('button', { name: 'Log in', exact: true }).click()
    await failed.getByRole('alert').waitFor()
    await failed.context().close()
    // Usage and failures are stored within ten seconds.
    const stored = () => setting.sql('select from token.client_authentication_failures limit 1')
    await until(async () => (await stored()).length > 0, 15_000)
  })
  afterAll(() => setting?.stop())

  const paths: [name: string, path: () => string][] = [
    ['dashboard', () => '/admin'],
    ['guide', () => '/admin/start'],
    ['guide to a web app', () => '/admin/start?kind=web'],
    ['clients', () => '/admin/clients'],
    ['no clients found', () => '/admin/clients?search=nobody'],
    ['a new client', () => '/admin/clients/new'],
    ['a client', () => `/admin/clients/${ids.client}`],
    ['settings of a client', () => `/admin/clients/${ids.client}?tab=settings`],
    ['tokens of a client', () => `/admin/clients/${ids.client}?tab=tokens`],
    ['logins of a client', () => `/admin/clients/${ids.client}?tab=logins`],
    ['failures of a client', () => `/admin/clients/${ids.client}?tab=failures`],
    ['changes of a client', () => `/admin/clients/${ids.client}?tab=history`],
    ['users', () => '/admin/users'],
    ['a new user', () => '/admin/users/new'],
    ['a user', () => `/admin/users/${ids.user}`],
    ...[
      'profile',
      'security',
      'groups',
      'organizations',
      'links',
      'tokens',
      'preview',
      'logins',
      'changes',
      'mails',
    ].map((tab): [string, () => string] => [`${tab} of a user`, () => `/admin/users/${ids.user}?tab=${tab}`]),
    ['groups', () => '/admin/groups'],
    ['a new group', () => '/admin/groups/new'],
    ['a group', () => `/admin/groups/${ids.group}`],
    ...['members', 'roles', 'settings', 'history'].map((tab): [string, () => string] => [
      `${tab} of a group`,
      () => `/admin/groups/${ids.group}?tab=${tab}`,
    ]),
    ['organizations', () => '/admin/organizations'],
    ['a new organization', () => '/admin/organizations/new'],
    ['an organization', () => `/admin/organizations/${ids.organization}`],
    ...['members', 'groups', 'roles', 'invitations', 'domains', 'connections', 'settings', 'history'].map(
      (tab): [string, () => string] => [
        `${tab} of an organization`,
        () => `/admin/organizations/${ids.organization}?tab=${tab}`,
      ],
    ),
    ['a member', () => `/admin/organizations/${ids.organization}/members/${ids.user}`],
    ['a new group of an organization', () => `/admin/organizations/${ids.organization}/groups/new`],
    [
      'a group of an organization',
      () => `/admin/organizations/${ids.organization}/groups/${ids.ownGroup}?tab=members`,
    ],
    ['connections', () => '/admin/connections'],
    ['a new connection', () => '/admin/connections/new'],
    ['a new connection of an organization', () => `/admin/connections/new?organization=${ids.organization}`],
    ['a connection', () => `/admin/connections/${ids.connection}`],
    ...['settings', 'mapping', 'links', 'test', 'history'].map((tab): [string, () => string] => [
      `${tab} of a connection`,
      () => `/admin/connections/${ids.connection}?tab=${tab}`,
    ]),
    ['resource servers', () => '/admin/resources'],
    ['a new resource server', () => '/admin/resources/new'],
    ['a resource server', () => `/admin/resources/${ids.resource}`],
    ['holders of roles', () => `/admin/resources/${ids.resource}?tab=holders`],
    ['settings of a resource server', () => `/admin/resources/${ids.resource}?tab=settings`],
    ['tokens', () => '/admin/tokens'],
    ['keys', () => '/admin/keys'],
    ['all activity', () => '/admin/activity'],
    ['activity of a user', () => `/admin/activity?user_id=${ids.user}`],
    ['logins', () => '/admin/activity?tab=logins'],
    ['failed clients', () => '/admin/activity?tab=failures'],
    ['rate limits', () => '/admin/activity?tab=limits'],
    ['audit log', () => '/admin/activity?tab=audit'],
    ['mails', () => '/admin/mails'],
    ['events', () => '/admin/events'],
    ['a delivery', () => `/admin/events/${ids.event}`],
    ['a mail', () => `/admin/mails/${ids.mail}`],
    ['what does not exist', () => '/admin/clients/client_none'],
  ]

  test.each(paths)('%s: is accessible, keeps to its policy, and shows names as text', async (_, path) => {
    setting.complaints.length = 0
    await page.goto(path())
    await settled(page)
    await expectUsable(page, widths)
    expect(await page.locator('img').count()).toBe(0)
    // A browser says of every answer that is an error that it is one.
    expect(setting.complaints.filter((text) => !text.includes('404 (Not Found)'))).toEqual([])
  })

  test.each([
    ['German', 'de-DE', 'ltr'],
    ['Arabic', 'ar-EG', 'rtl'],
  ])('all in %s fit, in the right direction, and have no English title', async (_, locale, direction) => {
    const own = await openConsole(setting, '/admin', { locale })
    const settled = watchRequests(own)
    for (const [name, path] of paths.filter(([name]) => name !== 'what does not exist')) {
      await follow(own, path())
      await settled()
      await expectToFit(own, widths)
      expect([name, await own.locator('html').getAttribute('dir')]).toEqual([name, direction])
    }
    expect(await own.getByRole('navigation').innerText()).not.toMatch(/Users|Dashboard/)
    await own.context().close()
  })
})

/** Waits until a page that was opened by its address has its heading and has read what it shows. */
async function settled(page: Page): Promise<void> {
  await page.locator('h1, [role=alert]').first().waitFor()
  await page.waitForLoadState('networkidle')
}

/** Counts a page's requests from now on. @returns a function that waits until it has sent all and shows the answers */
function watchRequests(page: Page): () => Promise<void> {
  const open = new Set<unknown>()
  page.on('request', (request) => open.add(request))
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end as 'requestfinished', (request) => open.delete(request))
  // Without a frame to draw there may never be an idle moment, so it waits a tenth of a second at most.
  const idle = () =>
    page.evaluate(() => new Promise((done) => void requestIdleCallback(done, { timeout: 100 })).then(() => 0))
  return async () => {
    // An answer may bring a script, which then asks for more.
    for (let quiet = 0; quiet < 3; quiet = open.size === 0 ? quiet + 1 : 0) await idle()
    await page.locator('h1, [role=alert]').first().waitFor()
  }
}
