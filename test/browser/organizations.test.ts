import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import { type DnsServer, startDnsServer } from '@gatehouse/test/servers/dns-server'
import { linkIn, type MailServer, startMailServer } from '@gatehouse/test/servers/mail-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrganization, organizationPages, setAddress } from './support/organization-pages.ts'
import {
  everyClient,
  heading,
  loggedInPage,
  logIn,
  type Setting,
  startOwnSetting,
} from './support/setting.ts'
import { expectUsable } from './support/usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('organizations', () => {
  let setting: Setting
  let mails: MailServer
  let dns: DnsServer
  beforeAll(async () => {
    mails = await startMailServer()
    dns = await startDnsServer()
    setting = await startOwnSetting({
      ...everyClient,
      OAUTH2_ORGANIZATIONS_ENABLED: 'true',
      OAUTH2_SIGNUP: 'invitation',
      OAUTH2_SMTP_URL: mails.url,
      OAUTH2_DNS_SERVERS: dns.authority,
    })
  })
  afterAll(async () => {
    await setting?.stop()
    await dns?.close()
    await mails?.close()
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
  const status = (page: Page) => page.getByRole('status').innerText()
  const newAddress = () => `person-${randomUUID()}@example.com`

  /** The link in the last mail to an address, once there are this many. */
  async function linkTo(address: string, count = 1): Promise<string> {
    const sent = () => mails.mails.filter(({ to }) => [to].flat()[0]?.text === address)
    await expect.poll(() => sent().length, { timeout: 15_000 }).toBe(count)
    return linkIn(sent().at(-1) ?? {}).href
  }

  /** An organization with its owner, at one of its pages. */
  async function owned(path = '') {
    const owner = await setting.addUser()
    const id = await addOrganization(setting, { [owner]: 'owner' })
    const page = await loggedInPage(setting, owner)
    await page.goto(`/account/organizations/${id}${path}`)
    return { id, owner, page }
  }

  async function invite(page: Page, address: string, role = 'Member') {
    await page.getByLabel('E-mail address').fill(address)
    await page.getByLabel('Role', { exact: true }).selectOption(role)
    await button(page, 'Send the invitation').click()
    expect(await status(page)).toBe('The invitation is on its way.')
  }

  test.each(Object.entries(organizationPages))(
    'the page %s is accessible and causes no browser warning',
    async (_, open) => {
      setting.complaints.length = 0
      const page = await open(setting, {})
      expect(setting.complaints).toEqual([])
      await expectUsable(page)
      await page.context().close()
    },
  )

  test('somebody without an account signs up by the link of an invitation, and joins', async () => {
    const { page: owner, id } = await owned('/invitations')
    const address = newAddress()
    await invite(owner, address, 'Admin')
    const page = await setting.newPage()
    await page.goto(await linkTo(address))
    expect(page.url()).toBe(`${setting.system.baseUrl}/account/organizations/join`)
    expect(await heading(page)).toBe('Join Acme')
    await expectUsable(page)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('User name').fill(`new-${randomUUID()}`)
    await page.getByLabel('Password').fill('a long password of their own')
    await button(page, 'Create the account').click()
    await button(page, 'Join the organization').waitFor()
    await expectUsable(page)
    await button(page, 'Join the organization').click()
    expect(await status(page)).toBe('You are a member now.')
    await page.getByRole('link', { name: 'Acme' }).click()
    expect(await page.getByText('You are here as: Admin').isVisible()).toBe(true)
    expect(page.url()).toContain(id)
    // The link works once.
    await page.goto(await linkTo(address))
    expect(await heading(page)).toBe('This link does not work any more')
    await page.goto('/account/organizations')
    await owner.reload()
    expect(await owner.getByText('No invitation is open.').isVisible()).toBe(true)
  })

  test('somebody logged in with another account is asked to log in with the invited one', async () => {
    const { page: owner } = await owned('/invitations')
    const [address, invited] = [newAddress(), await setting.addUser()]
    await setAddress(setting, invited, address)
    await invite(owner, address)
    const page = await loggedInPage(setting)
    await page.goto(await linkTo(address))
    expect(await page.getByText('an account with another e-mail address').isVisible()).toBe(true)
    await expectUsable(page)
    await page.getByRole('link', { name: 'Log in with another account' }).click()
    await logIn(page, invited)
    await button(page, 'Join the organization').click()
    expect(await status(page)).toBe('You are a member now.')
  })

  test('an invitation that is sent again or withdrawn ends the links before', async () => {
    const { page: owner } = await owned('/invitations')
    const [address, invited] = [newAddress(), await setting.addUser()]
    await setAddress(setting, invited, address)
    await invite(owner, address)
    const first = await linkTo(address)
    await button(owner, `Send again: ${address}`).click()
    expect(await status(owner)).toContain('A new e-mail is on its way.')
    const second = await linkTo(address, 2)
    const page = await loggedInPage(setting, invited)
    await page.goto(first)
    expect(await heading(page)).toBe('This link does not work any more')
    await page.goto(second)
    await button(page, 'Join the organization').waitFor()
    await owner.getByRole('link', { name: `Withdraw: ${address}` }).click()
    await expectUsable(owner)
    await button(owner, 'Withdraw the invitation').click()
    expect(await status(owner)).toContain('The invitation is withdrawn.')
    await button(page, 'Join the organization').click()
    expect(await heading(page)).toBe('This link does not work any more')
  })

  test('owners change and remove members, and the last owner stays', async () => {
    const member = await setting.addUser()
    const { id, owner, page } = await owned()
    await setting.sql(
      `insert into identity.organization_members (organization_id, user_id, role)
      select $1, id, 'member' from identity.users where username = $2`,
      [id, member],
    )
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByLabel(`Role of ${owner}`, { exact: true }).selectOption('Member')
    await button(page, `Change: ${owner}`).click()
    expect(await page.getByRole('alert').innerText()).toContain('the last owner stays')
    await page.getByLabel(`Role of ${member}`, { exact: true }).selectOption('Admin')
    await button(page, `Change: ${member}`).click()
    expect(await status(page)).toBe('The role is changed.')
    const other = await loggedInPage(setting, member)
    await other.goto(`/account/organizations/${id}/members`)
    expect(await other.getByLabel(`Role of ${owner}`).count()).toBe(0)
    await page.getByRole('link', { name: `Remove: ${member}` }).click()
    expect(await heading(page)).toBe(`Remove ${member}`)
    await button(page, 'Remove the member').click()
    expect(await status(page)).toBe('The member is removed.')
    await other.reload()
    expect(await heading(other)).toBe('Page not found')
    await page.goto(`/account/organizations/${id}/leave`)
    await button(page, 'Leave the organization').click()
    expect(await page.getByRole('alert').innerText()).toContain('You are its last owner')
  })

  test('a domain is proven by its record', async () => {
    const { page } = await owned('/domains')
    const domain = `bücher-${randomUUID()}.example.com`
    await page.getByLabel('Domain', { exact: true }).fill('co.uk')
    await button(page, 'Add the domain').click()
    expect(await page.getByRole('alert').innerText()).toContain('Anybody can register a domain below')
    await expectUsable(page)
    await page.getByLabel('Domain', { exact: true }).fill(domain)
    await button(page, 'Add the domain').click()
    expect(await status(page)).toContain('The domain is added.')
    const [name = '', value = ''] = await page.locator('code').allInnerTexts()
    expect(name).toMatch(/^_gatehouse-challenge\.xn--bcher-/)
    await button(page, /^Check now: xn--/).click()
    expect(await page.getByRole('alert').innerText()).toContain('The record was not found.')
    dns.setTexts(name, value)
    await setting.sql(`update identity.organization_domains set checked_at = now() - interval '1 minute'`)
    await button(page, /^Check now: xn--/).click()
    expect(await status(page)).toBe('The domain is proven.')
    await expectUsable(page)
    await page.getByRole('link', { name: /^Remove: xn--/ }).click()
    await button(page, 'Remove the domain').click()
    expect(await page.getByText('The organization has no domains yet.').isVisible()).toBe(true)
  })

  test('owners set the colour, which login and consent for the organization have', async () => {
    const { id, owner, page } = await owned('/settings')
    await page.getByLabel('Name').fill('New Acme')
    await page.getByLabel('Colour').fill('#ffd400')
    await button(page, 'Save').click()
    expect(await status(page)).toBe('The settings are saved.')
    const client = await setting.app.register()
    await setting.sql(
      `update clients.clients set metadata = metadata || '{"organizations":"optional"}' where client_id = $1`,
      [client.client_id],
    )
    const stranger = await setting.newPage()
    await stranger.goto(setting.app.authorizeAddress(client, { organization: id }))
    const rules = stranger.locator('link[href="/assets/colors/ffd400.css"]')
    await expect.poll(() => rules.count()).toBe(1)
    expect(await stranger.getByText('New Acme').isVisible()).toBe(true)
    await expectUsable(stranger)
    await logIn(stranger, owner)
    await button(stranger, 'Allow').waitFor()
    expect(await rules.count()).toBe(1)
    await expectUsable(stranger)
  })
})
