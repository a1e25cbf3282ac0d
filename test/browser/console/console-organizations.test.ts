import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import { type MailServer, startMailServer } from '@gatehouse/test/servers/mail-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyClient, type Setting, startOwnSetting } from '../support/setting.ts'
import { confirmAction, heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('organizations in the console', () => {
  let setting: Setting
  let mails: MailServer
  let page: Page
  const server = { id: '', name: `Tools ${randomUUID()}` }
  beforeAll(async () => {
    mails = await startMailServer()
    setting = await startOwnSetting({
      ...everyClient,
      OAUTH2_ORGANIZATIONS_ENABLED: 'true',
      OAUTH2_SMTP_URL: mails.url,
    })
    page = await openConsole(setting, '/admin/organizations')
    const { resource_id: id } = await post('/admin/api/resources', {
      identifier: `https://api.example/${randomUUID()}`,
      name: server.name,
      scopes: [{ scope: 'orders:read', description: 'Read orders' }],
      roles: [{ name: 'editor', description: 'Edits orders', scopes: ['orders:read'] }],
    })
    server.id = String(id)
  })
  afterAll(async () => {
    await setting?.stop()
    await mails?.close()
  })

  const button = (name: string | RegExp) =>
    page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })
  const send = (method: string, path: string, body: object): Promise<Record<string, unknown>> =>
    page.evaluate(
      async ([method, path, body]) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(path, { method, headers, body: JSON.stringify(body) })
        return answer.json()
      },
      [method, path, body] as const,
    )
  const post = (path: string, body: object) => send('POST', path, body)
  async function newOrganization() {
    const slug = `o-${randomUUID()}`
    const name = `Organization ${slug}`
    const { organization_id: id } = await post('/admin/api/organizations', { name, slug })
    return { name, slug, id: String(id), path: `/admin/organizations/${id}` }
  }
  async function newUser() {
    const name = await setting.addUser()
    const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      name,
    ])
    return { name, id: user?.id ?? '', path: `/admin/users/${user?.id}` }
  }
  const join = (organization: { id: string }, user: { id: string }, role = 'member') =>
    send('PATCH', `/admin/api/organizations/${organization.id}/members`, {
      set: [{ user_id: user.id, role }],
    })
  const rolesIn = ({ id }: { id: string }) =>
    setting.sql<{ role: string }>(
      'select role::text from identity.organization_members where organization_id = $1 order by role',
      [id],
    )

  /** Searches in an input with the keyboard alone, and takes what is found. */
  async function choose(label: string, text: string): Promise<void> {
    const input = page.getByRole('combobox', { name: label, exact: true })
    await input.fill(text)
    await page.getByRole('option').filter({ hasText: text }).first().waitFor()
    await input.press('ArrowDown')
    await input.press('Enter')
    await input.press('Escape')
  }

  test('one is created with the slug that goes with its name, changed, disabled, enabled and deleted', async () => {
    const unique = randomUUID()
    const name = `Müller & Söhne ${unique}`
    await page.goto('/admin/organizations')
    await page.getByRole('main').getByRole('link', { name: 'Create organization' }).first().click()
    await page.getByLabel('Name').fill(name)
    expect(await page.getByLabel('Slug').inputValue()).toBe(`muller-sohne-${unique}`)
    const slug = `mueller-${unique}`
    await page.getByLabel('Slug').fill(slug)
    await page.getByLabel('Name').fill(`${name}!`)
    expect(await page.getByLabel('Slug').inputValue()).toBe(slug)
    await button('Create organization').click()
    await heading(page, `${name}!`)
    const path = new URL(page.url()).pathname

    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Color').fill('#0b5cad')
    await page.getByLabel('Attributes').fill('customer_number=4711\nregion = north=east')
    await page.getByLabel('Two factors required').check()
    await button('Save changes').click()
    await notice(page, 'Saved.')
    const stored = () =>
      setting.sql(
        'select color, attributes, second_factor_required from identity.organizations where slug = $1',
        [slug],
      )
    expect(await stored()).toEqual([
      {
        color: '#0b5cad',
        attributes: { customer_number: '4711', region: 'north=east' },
        second_factor_required: true,
      },
    ])
    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByText('north=east').waitFor()

    await button('Disable').click()
    await page.getByRole('dialog').getByText('Everything that was granted in it ends at once').waitFor()
    await confirmAction(page, 'Disable')
    await page.getByText('Disabled since').waitFor()
    await button('Enable').click()
    await button('Disable').waitFor()

    await page.goto(`/admin/organizations?search=${slug}`)
    await row(slug).waitFor()
    await page.goto(path)
    await button('Delete').click()
    await page.getByLabel(`Type ${name}! to confirm`).fill(`${name}!`)
    await confirmAction(page, 'Delete')
    await page.waitForURL('**/admin/organizations')
    await expect.poll(stored).toEqual([])
  })

  test('a change that came after somebody else’s shows both', async () => {
    const organization = await newOrganization()
    await page.goto(`${organization.path}?tab=settings`)
    await page.getByLabel('Attributes').fill('region=mine')
    await send('PATCH', `/admin/api/organizations/${organization.id}`, { attributes: { region: 'theirs' } })
    await button('Save changes').click()
    await page.getByRole('dialog').getByText('region=theirs', { exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()
    await notice(page, 'Saved.')
    const { attributes } = await send('PATCH', `/admin/api/organizations/${organization.id}`, {})
    expect(attributes).toEqual({ region: 'mine' })
  })

  test('members are added with a role, get another one, and are removed; the last owner stays', async () => {
    const organization = await newOrganization()
    const users = [await newUser(), await newUser()]
    const [first = { name: '' }] = users
    await page.goto(`${organization.path}?tab=members`)
    await page.getByText('No members yet').waitFor()
    for (const { name } of users) await choose('Users', name)
    await page.getByLabel('Role in the organization').selectOption('owner')
    await button('Add').click()
    await row(first.name).getByText('Owner').waitFor()
    expect(await rolesIn(organization)).toEqual([{ role: 'owner' }, { role: 'owner' }])

    await page.getByLabel(`Select ${first.name}`).check()
    await button('Make admin').click()
    await notice(page, `${first.name} has a new role: Admin.`)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await row(first.name).getByText('Owner').waitFor()

    await page.getByLabel('Select all rows on this page').check()
    await button('Remove').click()
    await page.getByRole('dialog').getByText('It cannot be undone').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove (2)' }).click()
    await notice(page, 'owner')
    await expect.poll(() => rolesIn(organization)).toEqual([{ role: 'owner' }])
  })

  test('it has groups and roles of its own, for its members alone, which the page of a member shows', async () => {
    const [organization, user, stranger] = [await newOrganization(), await newUser(), await newUser()]
    await join(organization, user)
    await page.goto(`${organization.path}?tab=groups`)
    await page.getByRole('main').getByRole('link', { name: 'Create group' }).first().click()
    const name = `Buyers ${randomUUID()}`
    await page.getByLabel('Name').fill(name)
    await button('Create group').click()
    await heading(page, name)
    const path = new URL(page.url()).pathname
    expect(path).toMatch(new RegExp(`^${organization.path}/groups/[\\w-]+$`))
    await page.getByRole('main').getByRole('link', { name: organization.name }).waitFor()

    await page.getByRole('tab', { name: 'Members' }).click()
    const users = page.getByRole('combobox', { name: 'Users', exact: true })
    await users.fill(stranger.name)
    await page.getByText('Nothing found').waitFor()
    await choose('Users', user.name)
    await button('Add').click()
    await row(user.name).waitFor()
    await page.getByRole('tab', { name: 'Roles' }).click()
    await choose('Resource server', server.name)
    await choose('Roles', 'editor')
    await button('Give').click()
    await row('editor').waitFor()

    await page.goto(`${organization.path}?tab=roles`)
    await choose('Resource server', server.name)
    await row(name).waitFor()

    await page.goto(`${organization.path}?tab=members`)
    await page.getByRole('main').getByRole('link', { name: user.name }).click()
    await heading(page, user.name)
    await row('editor').waitFor()
    expect(await row('editor').innerText()).toContain(`Group ${name}`)
    await choose('Resource server', server.name)
    await choose('Roles', 'editor')
    await button('Give').click()
    await row('Given directly').waitFor()
    await page.getByLabel('Role in the organization').selectOption('owner')
    await button('Change role').click()
    await notice(page, `${user.name} has a new role: Owner.`)
    await expect.poll(() => rolesIn(organization)).toEqual([{ role: 'owner' }])

    // Nothing of it counts outside of the organization.
    await page.goto(`${user.path}?tab=groups`)
    await page.getByText('In no group.').waitFor()
    await page.getByText('No roles, neither given directly nor by a group.').waitFor()
    await page.getByRole('tab', { name: 'Organizations' }).click()
    await row(organization.name).getByText('Owner').waitFor()
    await row(organization.name).getByRole('link', { name: 'Groups and roles there' }).click()
    await page.waitForURL(`**${organization.path}/members/${user.id}`)

    await page.goto(path)
    await button('Delete').click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await confirmAction(page, 'Delete')
    await page.waitForURL(`**${organization.path}?tab=groups`)
  })

  test('somebody is invited with a role in an app, once more, and not after all', async () => {
    const organization = await newOrganization()
    const address = `${randomUUID()}@example.com`
    const mailsTo = () => mails.mails.filter(({ to }) => [to].flat()[0]?.text === address).length
    await page.goto(`${organization.path}?tab=invitations`)
    await page.getByLabel('E-mail address').fill(address)
    await page.getByLabel('Role in the organization').selectOption('admin')
    await choose('Resource server', server.name)
    await choose('Roles', 'editor')
    await button('Invite').click()
    await row(address).waitFor()
    expect(await row(address).innerText()).toMatch(/Admin[\s\S]*editor/i)
    await expect.poll(mailsTo, { timeout: 15_000 }).toBe(1)
    await page.getByLabel(`Select ${address}`).check()
    await button('Send again').click()
    await confirmAction(page, 'Send again (1)')
    await expect.poll(mailsTo, { timeout: 15_000 }).toBe(2)
    await page.getByLabel(`Select ${address}`).check()
    await button('Withdraw').click()
    await confirmAction(page, 'Withdraw (1)')
    await page.getByText('No open invitations').waitFor()
  })

  test('a domain says which record proves it, is looked for, and goes again', async () => {
    const organization = await newOrganization()
    const domain = `${randomUUID()}.example`
    await page.goto(`${organization.path}?tab=domains`)
    await page.getByLabel('Domain', { exact: true }).fill(domain.toUpperCase())
    await button('Add').click()
    await page.getByRole('heading', { name: domain }).waitFor()
    await page.getByText(/^gatehouse-domain-verification=/).waitFor()
    await page.getByText('Not proven', { exact: true }).waitFor()
    await button(`Check now: ${domain}`).click()
    await page.getByRole('status').getByText('Not proven yet').waitFor()
    await button(`Remove: ${domain}`).click()
    await confirmAction(page, 'Remove')
    await page.getByText('No domains yet.').waitFor()
  })

  test('the search finds it, the audit log says in words what was done, and a client the name of its owner', async () => {
    const [organization, user] = [await newOrganization(), await newUser()]
    await join(organization, user, 'owner')
    await page.goto('/admin/keys')
    await heading(page, 'Signing keys')
    await page.keyboard.press('Control+K')
    await page.getByPlaceholder(/organizations/).fill(organization.slug)
    await page.getByRole('option').filter({ hasText: organization.name }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${organization.path}`)
    await page.goto('/admin/activity?tab=audit')
    const entry = row('Set members of organization').filter({ hasText: organization.name })
    await entry.getByRole('link', { name: organization.name }).click()
    await page.waitForURL(`**${organization.path}`)

    const client = await setting.system.register({
      client_name: `Owned ${randomUUID()}`,
      grant_types: ['client_credentials'],
      scope: 'read',
    })
    await page.goto(`/admin/clients/${client.client_id}?tab=settings`)
    await button('More settings').click()
    await page.getByLabel('Organization', { exact: true }).fill(organization.id)
    await button('Save changes').click()
    await notice(page, 'Saved.')
    await page.goto(`/admin/clients/${client.client_id}`)
    await page.getByRole('main').getByRole('link', { name: organization.name }).click()
    await page.waitForURL(`**${organization.path}`)
  })

  test('a viewer sees all of it, and changes nothing', async () => {
    const [organization, member, viewer] = [await newOrganization(), await newUser(), await newUser()]
    await join(organization, member)
    await post(`/admin/api/organizations/${organization.id}/domains`, { domain: `${randomUUID()}.example` })
    const place = `/admin/api/organizations/${organization.id}/groups`
    const { group_id: group } = await post(place, { name: 'Buyers' })
    await setting.sql(`update identity.users set admin_role = 'viewer' where id = $1`, [viewer.id])
    const own = await openConsole(setting, '/admin/organizations', { username: viewer.name })
    expect(await own.getByRole('link', { name: 'Create organization' }).count()).toBe(0)
    const tabs = ['overview', 'members', 'groups', 'roles', 'invitations', 'domains', 'history']
    const paths = [
      ...tabs.map((tab) => `${organization.path}?tab=${tab}`),
      `${organization.path}/members/${member.id}`,
      `${organization.path}/groups/${group}`,
      `${organization.path}/groups/${group}?tab=members`,
    ]
    for (const path of paths) {
      await own.goto(path)
      await own.getByText(/^Only owners change/).waitFor()
      await own.waitForLoadState('networkidle')
      const names = await own.getByRole('main').getByRole('button').allInnerTexts()
      const changes = /add|give|take|remove|delete|save|disable|invite|check|make/i
      expect([path, names.filter((name) => changes.test(name))]).toEqual([path, []])
      expect([path, await own.getByRole('tab', { name: 'Settings' }).count()]).toEqual([path, 0])
    }
    await own.goto('/admin/organizations/new')
    await own.getByText(/^Only owners change/).waitFor()
    await own.context().close()
  })

  test('the page of somebody who is no member says that there is none', async () => {
    const [organization, stranger] = [await newOrganization(), await newUser()]
    await page.goto(`${organization.path}/members/${stranger.id}`)
    await heading(page, 'Page not found')
  })
})
