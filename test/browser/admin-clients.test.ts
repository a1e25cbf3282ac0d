import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  askForToken,
  doAfterQuestion,
  facts,
  isActive,
  message,
  openClient,
  problem,
  rows,
} from './administration.ts'
import { everyClient, heading, loggedInPage, type Setting, startSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the pages about clients', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startSetting(everyClient)
    page = await loggedInPage(setting, 'admin')
  })
  afterAll(() => setting?.stop())
  beforeEach(() => {
    setting.complaints.length = 0
  })

  const secret = () => page.getByRole('status', { name: 'Client secret' }).innerText()
  const badges = () => page.locator('.badge').allInnerTexts()

  test('creates a client and shows its secret only once', async () => {
    await page.goto('/admin/clients')
    await page.getByRole('link', { name: 'New client' }).click()
    await page.getByLabel('Name').fill('Billing & Sons')
    await page.getByLabel('client_credentials').check()
    await page.getByLabel('Redirect URIs').fill('https://a.example/cb\n\n  https://b.example/cb?x=1 ')
    await page.getByLabel('Scope').fill(' read   admin ')
    await page.getByRole('button', { name: 'Create client' }).click()
    expect(await heading(page)).toBe('Client created')
    const { 'Client id': client_id = '' } = await facts(page)
    const client = { client_id, client_secret: await secret() }
    expect((await askForToken(setting, client)).status).toBe(200)

    await page.getByRole('link', { name: 'I have copied it' }).click()
    expect(await heading(page)).toBe('Billing & Sons')
    expect(await page.content()).not.toContain(client.client_secret)
    expect(await facts(page)).toMatchObject({
      'Redirect URIs': 'https://a.example/cb\nhttps://b.example/cb?x=1',
      Grants: 'authorization_code, client_credentials',
      Scope: 'read admin',
      Authentication: 'client_secret_basic',
      Secrets: 'one valid until it is replaced',
    })
    expect(await badges()).toEqual(['Enabled'])
    expect(setting.complaints).toEqual([])
  })

  test('creates a public, first-party client without a secret', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name').fill('Phone')
    await page.getByLabel('Redirect URIs').fill('com.example.app:/cb')
    await page.getByLabel('First-party').check()
    await page.getByLabel('Public').check()
    await page.getByRole('button', { name: 'Create client' }).click()
    expect(await message(page)).toBe('Client created.')
    expect(await badges()).toEqual(['Enabled', 'First-party', 'Public'])
    expect(await facts(page)).not.toHaveProperty('Secrets')
    expect(await page.getByRole('link', { name: 'New secret…' }).count()).toBe(0)
  })

  test.each([
    ['Redirect URIs', 'https://a.example/cb\nhttp://b.example/', /^“Redirect URIs”, number 2, /],
    ['Redirect URIs', '', /^“Redirect URIs” is required for the grant authorization_code/],
    ['Scope', 'read "quoted"', /^“Scope” must be words/],
    ['Name', '   ', /^“Name” is empty/],
  ])('reports and marks a mistake in %s, and keeps everything typed', async (label, typed, said) => {
    await page.goto('/admin/clients/new')
    const form = { Name: 'Ten < 20', 'Redirect URIs': 'https://a.example/cb', Scope: 'read write' }
    const filled: Record<string, string> = { ...form, [label]: typed }
    for (const [field, value] of Object.entries(filled)) await page.getByLabel(field).fill(value)
    await page.getByLabel('password').check()
    await page.getByLabel('First-party').check()
    await page.getByRole('button', { name: 'Create client' }).click()
    expect(await problem(page)).toMatch(said)
    for (const [field, value] of Object.entries(filled)) {
      expect(await page.getByLabel(field).inputValue()).toBe(value)
      expect(await page.getByLabel(field).getAttribute('aria-invalid')).toBe(field === label ? 'true' : null)
    }
    expect(await page.getByLabel('password').isChecked()).toBe(true)
    expect(await page.getByLabel('First-party').isChecked()).toBe(true)
    expect(await page.getByLabel('client_credentials').isChecked()).toBe(false)
  })

  test('refuses a client without a grant', async () => {
    await page.goto('/admin/clients/new')
    await page.getByLabel('Name').fill('Idle')
    await page.getByLabel('authorization_code').uncheck()
    await page.getByRole('button', { name: 'Create client' }).click()
    expect(await problem(page)).toMatch(/^“Grants” /)
    expect(await page.getByLabel('authorization_code').isChecked()).toBe(false)
  })

  test('updates every field of a client', async () => {
    const client = await setting.app.register({ client_name: 'Before' })
    await openClient(page, client)
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Name').fill('After')
    await page.getByLabel('authorization_code').uncheck()
    await page.getByLabel('client_credentials').check()
    await page.getByLabel('Redirect URIs').fill('')
    await page.getByLabel('Scope').fill('write')
    await page.getByLabel('First-party').check()
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await message(page)).toContain('Client updated.')
    expect(await facts(page)).toMatchObject({
      'Redirect URIs': 'none',
      Grants: 'client_credentials',
      Scope: 'write',
    })
    expect(await badges()).toEqual(['Enabled', 'First-party'])

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('Scope').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(await problem(page)).toMatch(/^“Scope” /)
  })

  test('lets a second tab overwrite the first only after it has shown the other change', async () => {
    const client = await setting.app.register({ client_name: 'Original', scope: 'read' })
    const second = await page.context().newPage()
    for (const tab of [page, second]) await tab.goto(`/admin/clients/${client.client_id}/edit`)
    await page.getByLabel('Name').fill('Renamed in the first')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL('**/*done=client-changed')

    await second.getByLabel('Scope').fill('read write')
    await second.getByRole('button', { name: 'Save' }).click()
    expect(await problem(second)).toContain('Somebody changed this client since you opened the form')
    expect(await second.getByLabel('Scope').inputValue()).toBe('read write')
    expect(await facts(second)).toEqual({ Name: 'Renamed in the first', Scope: 'read' })
    await page.reload()
    expect(await facts(page)).toMatchObject({ Scope: 'read' })

    await second.getByLabel('Name').fill('Renamed in the first')
    await second.getByRole('button', { name: 'Save' }).click()
    expect(await message(second)).toContain('Client updated.')
    expect(await heading(second)).toBe('Renamed in the first')
    expect(await facts(second)).toMatchObject({ Scope: 'read write' })
    await second.close()
  })

  test('disables a client, which revokes its tokens and refuses new ones until it is enabled', async () => {
    const client = await setting.system.register()
    const { accessToken } = await askForToken(setting, client)
    await openClient(page, client)
    await doAfterQuestion(page, 'Disable…', 'Disable client')
    expect(await message(page)).toBe('Client disabled. Its tokens are revoked.')
    expect(await badges()).toEqual(['Disabled'])
    expect(await isActive(setting, accessToken)).toBe(false)
    await expect.poll(async () => (await askForToken(setting, client)).status, { timeout: 10_000 }).toBe(401)

    await page.getByRole('button', { name: 'Enable' }).click()
    expect(await message(page)).toBe('The client is enabled.')
    await expect.poll(async () => (await askForToken(setting, client)).status, { timeout: 10_000 }).toBe(200)
    expect(await isActive(setting, accessToken)).toBe(false)
  })

  test('shows a new secret once, and keeps the current one valid for the chosen time', async () => {
    const client = await setting.system.register()
    await openClient(page, client)
    await page.getByRole('link', { name: 'New secret…' }).click()
    expect(await page.getByLabel('The current secret stays valid for').inputValue()).toBe('86400')
    await page.getByLabel('The current secret stays valid for').selectOption({ label: 'an hour' })
    await page.getByRole('button', { name: 'Create new secret' }).click()
    const client_secret = await secret()
    expect(client_secret).not.toBe(client.client_secret)
    expect((await askForToken(setting, client)).status).toBe(200)
    expect((await askForToken(setting, { ...client, client_secret })).status).toBe(200)
    await page.getByRole('link', { name: 'I have copied it' }).click()
    expect((await facts(page)).Secrets?.split('\n').toSorted()).toEqual([
      expect.stringMatching(/^one valid until 20\d\d-/),
      'one valid until it is replaced',
    ])
    expect(await page.content()).not.toContain(client_secret)

    await page.getByRole('link', { name: 'New secret…' }).click()
    await page.getByLabel('The current secret stays valid for').selectOption({ value: '0' })
    await page.getByRole('button', { name: 'Create new secret' }).click()
    const newest = { ...client, client_secret: await secret() }
    for (const old of [client, { ...client, client_secret }])
      await expect.poll(async () => (await askForToken(setting, old)).status, { timeout: 10_000 }).toBe(401)
    expect((await askForToken(setting, newest)).status).toBe(200)
  })

  test('revokes all tokens of a client, which can then get new ones', async () => {
    const client = await setting.system.register()
    const tokens = [await askForToken(setting, client), await askForToken(setting, client)]
    await openClient(page, client)
    await doAfterQuestion(page, 'Revoke tokens…', 'Revoke tokens')
    expect(await message(page)).toBe('All tokens are revoked.')
    for (const { accessToken } of tokens) expect(await isActive(setting, accessToken)).toBe(false)
    expect(await isActive(setting, (await askForToken(setting, client)).accessToken)).toBe(true)
  })

  test('deletes a client only after a confirmation', async () => {
    const client = await setting.system.register({
      client_name: 'Doomed',
      grant_types: ['client_credentials'],
    })
    const { accessToken } = await askForToken(setting, client)
    await openClient(page, client)
    await page.getByRole('link', { name: 'Delete…' }).click()
    expect(await heading(page)).toBe('Delete Doomed?')
    expect(await page.getByRole('listitem').allInnerTexts()).toContainEqual(
      expect.stringContaining('cannot be undone'),
    )
    await page.getByRole('link', { name: 'Cancel' }).click()
    expect(await heading(page)).toBe('Doomed')
    expect(await isActive(setting, accessToken)).toBe(true)

    await doAfterQuestion(page, 'Delete…', 'Delete client')
    expect(new URL(page.url()).pathname).toBe('/admin/clients')
    expect(await message(page)).toBe('Client deleted. Its tokens are revoked.')
    expect((await rows(page)).map(([, id]) => id)).not.toContain(client.client_id)
    expect(await isActive(setting, accessToken)).toBe(false)
    await expect.poll(async () => (await askForToken(setting, client)).status, { timeout: 10_000 }).toBe(401)
  })
})
