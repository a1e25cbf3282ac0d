import { randomUUID } from 'node:crypto'
import { program } from '@gatehouse/test/programs/programs'
import { type MailServer, startMailServer } from '@gatehouse/test/servers/mail-server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyClient, type Setting, startOwnSetting } from '../support/setting.ts'
import {
  choose,
  confirmAction,
  heading,
  join,
  newOrganization,
  newResourceServer,
  newUser,
  notice,
  openConsole,
  send,
} from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('organizations in the console', () => {
  let setting: Setting
  let mails: MailServer
  let page: Page
  let server: { name: string }
  beforeAll(async () => {
    mails = await startMailServer()
    setting = await startOwnSetting({
      ...everyClient,
      OAUTH2_ORGANIZATIONS_ENABLED: 'true',
      OAUTH2_SMTP_URL: mails.url,
    })
    page = await openConsole(setting, '/admin/organizations')
    server = await newResourceServer(page)
  })
  afterAll(async () => {
    await setting?.stop()
    await mails?.close()
  })

  const button = (name: string | RegExp) =>
    page.getByRole('main').getByRole('button', { name, exact: typeof name === 'string' })
  const row = (text: string) => page.getByRole('row').filter({ hasText: text })

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
    const organization = await newOrganization(page)
    await page.goto(`${organization.path}?tab=settings`)
    await page.getByLabel('Attributes').fill('region=mine')
    await send(page, 'PATCH', `/admin/api/organizations/${organization.id}`, {
      attributes: { region: 'theirs' },
    })
    await button('Save changes').click()
    await page.getByRole('dialog').getByText('region=theirs', { exact: true }).waitFor()
    await page.getByRole('dialog').getByRole('button').last().click()
    await notice(page, 'Saved.')
    const { attributes } = await send(page, 'PATCH', `/admin/api/organizations/${organization.id}`, {})
    expect(attributes).toEqual({ region: 'mine' })
  })

  test('somebody is invited with a role in an app, once more, and not after all', async () => {
    const organization = await newOrganization(page)
    const address = `${randomUUID()}@example.com`
    const mailsTo = () => mails.mails.filter(({ to }) => [to].flat()[0]?.text === address).length
    await page.goto(`${organization.path}?tab=invitations`)
    await page.getByLabel('E-mail address').fill(address)
    await page.getByLabel('Role in the organization').selectOption('admin')
    await choose(page, 'Resource server', server.name)
    await choose(page, 'Roles', 'editor')
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
    const organization = await newOrganization(page)
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
    const [organization, user] = [await newOrganization(page), await newUser(setting)]
    await join(page, organization, user, 'owner')
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
})
