import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrganization } from './support/organization-pages.ts'
import { everyClient, heading, loggedInPage, type Setting, startOwnSetting } from './support/setting.ts'
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('connections of organizations', () => {
  let setting: Setting
  let provider: OpenIdStandIn
  beforeAll(async () => {
    provider = await startOpenIdStandIn('google')
    provider.register('https://nowhere.example')
    setting = await startOwnSetting({
      ...everyClient,
      OAUTH2_ORGANIZATIONS_ENABLED: 'true',
      OAUTH2_FACTOR_KEY: 'a key for factors that is long enough for this test',
      OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    })
  })
  afterAll(async () => {
    await setting?.stop()
    await provider?.close()
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name })
  const said = (page: Page) => page.getByRole('status').innerText()
  const refused = (page: Page) => page.getByRole('alert').innerText()

  /** An organization with a proven domain, and one of its owners at a page of theirs. */
  async function owned(path: string, members: Record<string, 'admin' | 'member'> = {}) {
    const owner = await setting.addUser()
    const id = await addOrganization(setting, { [owner]: 'owner', ...members })
    await setting.sql(
      `insert into identity.organization_domains (organization_id, domain, challenge, proven_at, checked_at)
      values ($1, $2, repeat('x', 22), now(), now())`,
      [id, `${id.slice(4)}.example.com`],
    )
    const page = await loggedInPage(setting, owner)
    await page.goto(`/account/organizations/${id}${path}`)
    return { id, owner, page }
  }

  async function addConnection(page: Page) {
    await link(page, 'Add a connection').click()
    await link(page, 'OpenID Connect').click()
    await page.getByLabel('Name').fill('Okta')
    await page.getByLabel('Issuer').fill(provider.issuer)
    await page.getByLabel('Client id').fill(standInClient.clientId)
    await page.getByLabel('Client secret').fill(standInClient.clientSecret)
    await button(page, 'Add the connection').click()
  }

  test('an owner adds one, changes it, and deletes it', async () => {
    setting.complaints.length = 0
    const { page, id } = await owned('')
    await link(page, 'Connections').click()
    await addConnection(page)
    expect(await said(page)).toContain('The connection is added.')
    expect(await heading(page)).toBe('Okta active')
    const { pathname } = new URL(page.url())
    const connectionId = pathname.slice(pathname.lastIndexOf('/') + 1)
    const redirectAddress = `${setting.system.baseUrl}/auth/callback/${connectionId}`
    expect(await page.getByText(redirectAddress, { exact: true }).isVisible()).toBe(true)
    await expectUsable(page)
    await page.getByLabel(`${id.slice(4)}.example.com`).check()
    await page.getByLabel('Nobody gets an account').check()
    await button(page, 'Save').click()
    expect(await said(page)).toBe('The connection is saved.')
    expect(await page.getByLabel(`${id.slice(4)}.example.com`).isChecked()).toBe(true)
    await link(page, 'Disable').click()
    await button(page, 'Disable the connection').click()
    expect(await said(page)).toBe('The connection is disabled.')
    await button(page, 'Enable').click()
    expect(await said(page)).toBe('The connection is enabled.')
    await link(page, 'Delete').click()
    await button(page, 'Delete the connection').click()
    expect(await said(page)).toBe('The connection is deleted.')
    expect(await page.getByText('The organization has no connections yet.').isVisible()).toBe(true)
    expect(setting.complaints).toEqual([])
  })

  test('one whose provider does not answer as it should is refused at its form', async () => {
    const { page } = await owned('/connections/new?kind=oidc')
    await page.getByLabel('Name').fill('Okta')
    await page.getByLabel('Issuer').fill(`${provider.issuer}/other`)
    await page.getByLabel('Client id').fill('typed')
    await page.getByLabel('Client secret').fill('typed secret')
    await button(page, 'Add the connection').click()
    expect(await refused(page)).toContain('The metadata of the issuer cannot be used')
    expect(await page.getByLabel('Client id').inputValue()).toBe('typed')
    expect(await page.getByLabel('Client secret').inputValue()).toBe('')
    await expectUsable(page)
  })

  test('its mapping gets and loses rules, and no rule about sub', async () => {
    const { page, id } = await owned('/connections')
    await setting.sql(
      `insert into identity.groups (group_id, organization_id, name) values (gen_random_uuid(), $1, 'Staff')`,
      [id],
    )
    await addConnection(page)
    await link(page, /^Mapping/).click()
    await page.getByLabel('Claim', { exact: true }).fill('sub')
    await page.getByLabel('Value', { exact: true }).fill('x')
    await page.getByLabel('What it becomes').selectOption('Staff')
    await button(page, 'Add the rule').click()
    expect(await refused(page)).toContain('It cannot be mapped.')
    await page.getByLabel('Claim', { exact: true }).fill('groups')
    await button(page, 'Add the rule').click()
    expect(await said(page)).toContain('The rule is added.')
    await page.getByLabel('Claim', { exact: true }).fill('department')
    await page.getByLabel('Name of the attribute').fill('department')
    await button(page, 'Add the rule').click()
    expect(await page.getByRole('checkbox').count()).toBe(2)
    await expectUsable(page)
    await page.getByLabel('Remove the rule: Group: Staff').check()
    await button(page, 'Remove the chosen rules').click()
    expect(await said(page)).toContain('The rules are removed.')
    expect(await page.getByRole('checkbox').count()).toBe(1)
  })

  test('an owner tries one, and sees what a login would do', async () => {
    const { page, id } = await owned('/connections')
    await addConnection(page)
    await page.getByRole('status').waitFor()
    const { pathname } = new URL(page.url())
    provider.register(`${setting.system.baseUrl}/auth/callback/${pathname.split('/').at(-1)}`)
    const person = { email: `ann@${id.slice(4)}.example.com`, email_verified: true, note: 'x '.repeat(200) }
    Object.assign(provider.person, person)
    provider.tamper = (claims) => ({ ...claims, ...person })
    setting.complaints.length = 0
    await link(page, 'Try it').click()
    await link(page, 'Cancel').click()
    expect(await refused(page)).toContain('The login was cancelled at the provider')
    await link(page, 'Try it again').click()
    await link(page, 'Continue').click()
    expect(await said(page)).toContain('The login works.')
    expect(await heading(page)).toBe('Test of Okta')
    expect(await page.getByText('A new user would be created.').isVisible()).toBe(true)
    expect(await page.getByRole('row').filter({ hasText: person.email }).count()).toBe(1)
    await expectUsable(page)
    expect(setting.complaints).toEqual([])
    await link(page, 'Back to the connection').click()
    expect(new URL(page.url()).pathname).toBe(pathname)
    expect(await page.getByText('Linked accounts: 0').isVisible()).toBe(true)
  })

  test('members see nothing of them, and nobody sees those of another organization', async () => {
    const member = await setting.addUser()
    const { page, id } = await owned('/connections', { [member]: 'member' })
    await addConnection(page)
    await page.getByRole('status').waitFor()
    const { pathname } = new URL(page.url())
    const other = await loggedInPage(setting, member)
    await other.goto(`/account/organizations/${id}`)
    expect(await link(other, 'Connections').count()).toBe(0)
    for (const path of [`/account/organizations/${id}/connections`, pathname])
      expect((await other.goto(path))?.status()).toBe(403)
    const { page: stranger, id: otherId } = await owned('/connections')
    expect((await stranger.goto(pathname))?.status()).toBe(404)
    expect((await stranger.goto(pathname.replace(id, otherId)))?.status()).toBe(404)
  })

  test('an owner demands logins by them, which takes effect with an active one', async () => {
    const { page, id } = await owned('/settings')
    await page.getByLabel('Members must log in by a connection').check()
    await button(page, 'Save').click()
    expect(await page.getByText('It is not in effect now').isVisible()).toBe(true)
    await page.goto(`/account/organizations/${id}/connections`)
    await addConnection(page)
    await page.goto(`/account/organizations/${id}/settings`)
    expect(await page.getByText('It is in effect now.').isVisible()).toBe(true)
    await expectUsable(page)
  })

  test('an owner gives a member a group and takes it again', async () => {
    const member = await setting.addUser(`member-${randomUUID()}`)
    const { page, id } = await owned('/members', { [member]: 'member' })
    await setting.sql(
      `insert into identity.groups (group_id, organization_id, name) values (gen_random_uuid(), $1, 'Staff')`,
      [id],
    )
    await page.getByRole('link', { name: member, exact: true }).click()
    await page.getByLabel('Group', { exact: true }).selectOption('Staff')
    await button(page, 'Add to the group').click()
    expect(await said(page)).toBe('They are in the group now.')
    await expectUsable(page)
    await button(page, 'Remove from the group Staff').click()
    expect(await said(page)).toBe('They are no longer in the group.')
  })
})
