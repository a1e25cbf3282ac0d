import { randomUUID } from 'node:crypto'
import { claimsOf } from '@gatehouse/test/jwt'
import { program } from '@gatehouse/test/programs/programs'
import { type DnsServer, startDnsServer } from '@gatehouse/test/servers/dns-server'
import { linkIn, type MailServer, startMailServer } from '@gatehouse/test/servers/mail-server'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import type { RegisteredClient } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openConsole, send } from './console/console.ts'
import type { Tokens } from './support/app.ts'
import { heading, loggedInPage, logIn, type Setting, startOwnSetting } from './support/setting.ts'

const chromium = await program('chromium')

// A vendor's customer brings its own identity provider: each test goes on where the one before ended.
describe.skipIf(!chromium)('a vendor and its customer', () => {
  const unique = randomUUID().slice(0, 8)
  const [slug, domain] = [`acme-${unique}`, `acme-${unique}.example`]
  const resource = `https://deploy.example/${unique}`
  const person = {
    sub: `erin-${unique}`,
    name: 'Erin Example',
    email: `erin@${domain}`,
    email_verified: true,
  }
  let setting: Setting
  let mails: MailServer
  let dns: DnsServer
  let provider: OpenIdStandIn
  let vendor: Page
  let owner: Page
  let employee: Page
  let client: RegisteredClient
  let organizationId = ''
  let connectionPath = ''
  beforeAll(async () => {
    mails = await startMailServer()
    dns = await startDnsServer()
    provider = await startOpenIdStandIn('google')
    provider.register('https://nowhere.example')
    setting = await startOwnSetting({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_SIGNUP: 'invitation',
      OAUTH2_SMTP_URL: mails.url,
      OAUTH2_DNS_SERVERS: dns.authority,
      OAUTH2_FACTOR_KEY: 'a key for factors that is long enough for this test',
      OAUTH2_FETCH_ALLOWED_NETWORKS: '127.0.0.0/8',
    })
  })
  afterAll(async () => {
    await setting?.stop()
    await provider?.close()
    await dns?.close()
    await mails?.close()
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name })
  const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()

  /** Opens the app in a browser, which asks for the organization. */
  const openApp = (page: Page, parameters: Record<string, string> = {}) =>
    page.goto(
      setting.app.authorizeAddress(client, {
        scope: 'openid profile organization roles deploy',
        ...{ resource, organization: slug, nonce: randomUUID(), ...parameters },
      }),
    )

  /** Answers the consent page if there is one, and gets the tokens of the app. */
  async function arrive(page: Page): Promise<Tokens & { id_token: string }> {
    const [allow, app] = [button(page, 'Allow'), page.getByRole('heading', { name: 'The app' })]
    await allow.or(app).first().waitFor()
    if (await allow.isVisible()) await allow.click()
    await app.waitFor()
    return (await setting.app.redeem(client)) as Tokens & { id_token: string }
  }

  /** Logs the person in at the customer's provider. */
  async function passProvider(page: Page): Promise<void> {
    const proceed = page.getByRole('link', { name: 'Continue', exact: true })
    await page.waitForURL(
      (url) => url.href.startsWith(provider.origin) || !url.pathname.startsWith('/auth/login/'),
    )
    if (page.url().startsWith(provider.origin)) await proceed.click()
  }

  test('the vendor creates the organization, and invites its owner', async () => {
    vendor = await openConsole(setting, '/admin/organizations')
    const { identifier } = await send(vendor, 'POST', '/admin/api/resources', {
      ...{ identifier: resource, name: 'Deployments', token_claims: ['roles'] },
      scopes: [{ scope: 'deploy', description: 'Deploy' }],
      roles: [
        { name: 'deployer', description: 'Deploys', scopes: ['deploy'], organizations_may_give: true },
        { name: 'root', description: 'Everything', scopes: ['deploy'] },
      ],
    })
    expect(identifier).toBe(resource)
    client = (await send(vendor, 'POST', '/admin/api/clients', {
      ...{ client_name: 'Deploy', redirect_uris: [setting.app.redirectUri], organizations: 'optional' },
      ...{
        scope: 'openid profile organization roles deploy',
        roles_of: resource,
        id_token_user_claims: true,
      },
      grant_types: ['authorization_code', 'refresh_token'],
    })) as RegisteredClient
    await vendor.getByRole('main').getByRole('link', { name: 'Create organization' }).first().click()
    await vendor.getByLabel('Name').fill('Acme')
    await vendor.getByLabel('Slug').fill(slug)
    await vendor.getByRole('main').getByRole('button', { name: 'Create organization' }).click()
    await vendor.getByRole('tab', { name: 'Invitations' }).click()
    organizationId = new URL(vendor.url()).pathname.split('/').at(-1) ?? ''
    await vendor.getByLabel('E-mail address').fill(`olga@${domain}`)
    await vendor.getByLabel('Role in the organization').selectOption('owner')
    await vendor.getByRole('main').getByRole('button', { name: 'Invite', exact: true }).click()
    await vendor
      .getByRole('row')
      .filter({ hasText: `olga@${domain}` })
      .waitFor()
    await expect.poll(() => mails.mails.length, { timeout: 15_000 }).toBeGreaterThan(0)
  })

  test('the owner signs up by the mail, and proves the domain', async () => {
    owner = await setting.newPage()
    await owner.goto(linkIn(mails.mails.at(-1) ?? {}).href)
    await link(owner, 'Create an account').click()
    await owner.getByLabel('User name').fill(`olga-${unique}`)
    await owner.getByLabel('Password').fill('a long password of their own')
    await button(owner, 'Create the account').click()
    await button(owner, 'Join the organization').click()
    await said(owner, 'You are a member now.')
    await owner.goto(`/account/organizations/${organizationId}/domains`)
    await owner.getByLabel('Domain', { exact: true }).fill(domain)
    await button(owner, 'Add the domain').click()
    const value = await owner
      .getByText(/gatehouse-domain-verification=/)
      .first()
      .innerText()
    const name = await owner
      .getByText(new RegExp(`^\\S+\\.${domain}$`))
      .first()
      .innerText()
    dns.setTexts(name.trim().replace(/\.$/, ''), value.trim())
    await button(owner, 'Check now').click()
    await owner.getByText('proven', { exact: true }).first().waitFor()
  })

  test('the owner connects the provider, and tries it', async () => {
    await owner.goto(`/account/organizations/${organizationId}/connections`)
    await link(owner, 'Add a connection').click()
    await link(owner, 'OpenID Connect').click()
    await owner.getByLabel('Name').fill('Acme login')
    await owner.getByLabel('Issuer').fill(provider.issuer)
    await owner.getByLabel('Client id').fill(standInClient.clientId)
    await owner.getByLabel('Client secret').fill(standInClient.clientSecret)
    await owner.getByLabel(domain).check()
    await button(owner, 'Add the connection').click()
    await said(owner, 'The connection is added.')
    connectionPath = new URL(owner.url()).pathname
    const redirectUri = await owner
      .getByText(/\/auth\/callback\/con_\S+$/)
      .first()
      .innerText()
    provider.register(redirectUri.trim())
    provider.person = { ...person, groups: ['engineering'] }
    await link(owner, 'Try it').click()
    await passProvider(owner)
    await owner.getByText('The login works.').waitFor()
    expect(await owner.getByText('A new user would be created.').isVisible()).toBe(true)
    expect(await setting.sql('select from identity.connection_links')).toEqual([])
  })

  test('the owner maps a group of the provider to a role, and demands single sign-on', async () => {
    await owner.goto(`${connectionPath}/mapping`)
    await owner.getByLabel('Claim', { exact: true }).fill('groups')
    await owner.getByLabel('Value', { exact: true }).fill('engineering')
    const target = owner.getByLabel('What it becomes')
    expect(await target.innerText()).not.toContain('root')
    await target.selectOption({ label: `deployer (${resource})` })
    await button(owner, 'Add the rule').click()
    await said(owner, 'The rule is added.')
    await owner.goto(`/account/organizations/${organizationId}/settings`)
    await owner.getByLabel('Members must log in by a connection').check()
    await button(owner, 'Save').click()
    await owner.getByText('It is in effect now.').waitFor()
  })

  test('an employee logs in through it, and the app gets the organization and the role', async () => {
    employee = await setting.newPage()
    await openApp(employee)
    await link(employee, /Acme login/).click()
    await passProvider(employee)
    const { access_token, id_token } = await arrive(employee)
    expect(claimsOf(id_token)).toMatchObject({ org_id: organizationId, org_slug: slug, roles: ['deployer'] })
    expect(claimsOf(access_token)).toMatchObject({ org_id: organizationId, roles: ['deployer'] })
  })

  test('they are led to it by their address alone', async () => {
    const page = await setting.newPage()
    await page.goto('/auth/login')
    await link(page, 'Log in through your organization').click()
    await page.getByLabel('E-mail address').fill(`somebody@${domain}`)
    await button(page, 'Continue').click()
    await page.waitForURL((url) => url.href.startsWith(provider.origin))
    await page.goto('/auth/organization')
    await page.getByLabel('E-mail address').fill('somebody@elsewhere.example')
    await button(page, 'Continue').click()
    await page.getByText('This address does not lead to the login of an organization.').waitFor()
    await page.context().close()
  })

  test('their login opens nothing but that organization', async () => {
    await employee.goto('/account')
    await employee.waitForURL('**/auth/login?**')
    await employee.goto('/admin')
    await employee.waitForURL('**/auth/login?**')
    await employee.goto(`/account/organizations/${organizationId}`)
    expect(await heading(employee)).toContain('Acme')
    await employee.goto(setting.app.authorizeAddress(client, { scope: 'openid', nonce: 'n' }))
    await employee.waitForURL(
      (url) => url.href.startsWith(setting.system.baseUrl) || url.pathname === '/callback',
    )
    // With one organization only, the app acts in it: nobody chooses none.
    const { id_token } = await arrive(employee)
    expect(claimsOf(id_token)).toMatchObject({ org_id: organizationId })
  })

  test('a password alone does not open the organization to a member', async () => {
    const member = await setting.addUser()
    await setting.sql(
      `insert into identity.organization_members (organization_id, user_id, role)
      select $1, id, 'admin' from identity.users where username = $2`,
      [organizationId, member],
    )
    const page = await setting.newPage()
    await openApp(page)
    await logIn(page, member, 'not their password')
    await page.getByRole('alert').waitFor()
    expect(await page.getByText('To go on in Acme').count()).toBe(0)
    await logIn(page, member)
    await page.getByText('To go on in Acme, log in through it.').waitFor()
    await page.goto(`/account/organizations/${organizationId}/members`)
    await page.waitForURL('**/auth/login?**')
    await page.context().close()
  })

  test('a second organization sees nothing of it', async () => {
    const stranger = await setting.addUser()
    const globex = await send(vendor, 'POST', '/admin/api/organizations', {
      name: 'Globex',
      slug: `globex-${unique}`,
    })
    await setting.sql(
      `insert into identity.organization_members (organization_id, user_id, role)
      select $1, id, 'owner' from identity.users where username = $2`,
      [globex.organization_id, stranger],
    )
    const page = await loggedInPage(setting, stranger)
    await page.goto(`/account/organizations/${globex.organization_id}/connections`)
    await page.getByText('The organization has no connections yet.').waitFor()
    const foreign = connectionPath.replace(organizationId, String(globex.organization_id))
    expect((await page.goto(foreign))?.status()).toBe(404)
    expect((await page.goto(connectionPath))?.status()).toBe(404)
    await page.goto(connectionPath.replace(/.*\//, '/auth/login/').concat('?test=yes'))
    expect(page.url()).not.toContain(provider.origin)
    await page.context().close()
  })

  test('who loses the group at the provider loses the role at the next login', async () => {
    provider.person = { ...person, groups: ['sales'] }
    await openApp(employee, { prompt: 'login' })
    await link(employee, /Acme login/).click()
    await passProvider(employee)
    const { access_token, id_token } = await arrive(employee)
    expect(claimsOf(id_token)).toMatchObject({ org_id: organizationId })
    for (const token of [access_token, id_token]) expect(claimsOf(token).roles ?? []).toEqual([])
    expect(await setting.sql('select from identity.connection_grants')).toEqual([])
  })

  test('a connection that is disabled ends their login and what the app had by it', async () => {
    const session = await employee.context().cookies()
    expect(session.length).toBeGreaterThan(0)
    await owner.goto(connectionPath)
    await link(owner, 'Disable').click()
    await button(owner, 'Disable the connection').click()
    await said(owner, 'The connection is disabled.')
    await employee.goto(`/account/organizations/${organizationId}`)
    await employee.waitForURL('**/auth/login?**')
    const left =
      await setting.sql(`select from token.refresh_tokens r join token.session_grants s using (grant_id)
      where s.connection_id is not null and r.expires_at > now() and not exists (
        select from token.revocations v where v.kind = 'grant' and v.id = r.grant_id::text)`)
    expect(left).toEqual([])
  })
})
