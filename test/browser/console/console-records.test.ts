import { program } from '@gatehouse/test/programs/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Setting, startOwnSetting } from '../support/setting.ts'
import { confirmAction, heading, notice, openConsole } from './console.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('tokens, keys, mails and activity in the console', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    // Of its own: rotating a key withdraws everybody's tokens.
    setting = await startOwnSetting({
      OAUTH2_EVENTS_ENABLED: 'true',
      // Nothing listens there.
      OAUTH2_EVENTS_WEBHOOK_URL: 'https://127.0.0.1:9/events',
      OAUTH2_EVENTS_WEBHOOK_ALLOW_PRIVATE: 'true',
      OAUTH2_EVENTS_WEBHOOK_SECRET: 'a-secret-of-the-tests-that-nobody-needs',
    })
    page = await openConsole(setting, '/admin')
  })
  afterAll(() => setting?.stop())

  const button = (name: string | RegExp) =>
    page.getByRole('button', { name, exact: typeof name === 'string' })
  async function newToken(name: string) {
    const client = await setting.system.register({
      client_name: name,
      grant_types: ['client_credentials'],
      scope: 'read',
    })
    const answer = await setting.system.form('/oauth/token', { grant_type: 'client_credentials', ...client })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    return { client, token }
  }
  async function isActive(token: string) {
    const answer = await setting.system.form('/oauth/introspect', { token })
    return ((await answer.json()) as { active: boolean }).active
  }

  test('a token is revoked from the list, another by pasting it', async () => {
    const [one, other] = [await newToken('Listed'), await newToken('Pasted')]
    await page.goto(`/admin/tokens?client_id=${one.client.client_id}`)
    await page.getByLabel('Select all rows on this page').check()
    await button('Revoke').click()
    await confirmAction(page, 'Revoke (1)')
    await expect.poll(() => isActive(one.token)).toBe(false)
    expect(await isActive(other.token)).toBe(true)

    await page.goto('/admin/tokens')
    await button('Revoke a token').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Token', { exact: true }).fill('nonsense')
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await dialog.getByText('This token is not known').waitFor()
    await dialog.getByLabel('Token', { exact: true }).fill(other.token)
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => isActive(other.token)).toBe(false)
  })

  test('a token is found by its id', async () => {
    const { token } = await newToken('Found')
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      jti: string
    }
    await page.goto('/admin')
    await page.getByRole('button', { name: /^Search/ }).click()
    await page.getByPlaceholder(/ID of a token/).fill(jti)
    await page.getByRole('option').getByText(jti).click()
    await page.waitForURL(`**/admin/tokens?jti=${jti}`)
    await page.locator('tbody tr').getByText('Found').waitFor()
  })

  test('a key is withdrawn only after its algorithm was typed, and with it all tokens', async () => {
    const { token } = await newToken('Signed')
    await page.goto('/admin/keys')
    await button('Rotate key').click()
    await page.getByLabel('Yes, withdraw it immediately').check()
    await button('Continue').click()
    await page.getByLabel('Type HS256 to confirm').fill('HS256')
    await confirmAction(page, 'Withdraw the keys')
    await notice(page, 'The earlier HS256 keys are withdrawn.')
    await expect.poll(() => isActive(token)).toBe(false)
  })

  test('what was changed is shown side by side, and leads to who did it', async () => {
    const client = await setting.system.register({
      client_name: 'Before',
      grant_types: ['client_credentials'],
      scope: 'read',
    })
    await page.goto(`/admin/clients/${client.client_id}?tab=settings`)
    await page.getByLabel('Name', { exact: true }).fill('After')
    await button('Save changes').click()
    await notice(page, 'Saved.')
    await page.goto('/admin/activity?tab=audit')
    await button(/^What changed/)
      .first()
      .click()
    expect(await page.getByRole('dialog').innerText()).toMatch(/Before[\s\S]*After/)
    await page.keyboard.press('Escape')
    await page.locator('tbody').getByRole('link', { name: 'admin' }).first().click()
    await heading(page, 'admin')
  })

  test('a live list shows what happens without a reload', async () => {
    const name = await setting.addUser(`live-${Date.now()}`)
    await page.goto('/admin/activity?live=true')
    await page.locator('tbody tr').first().waitFor()
    await setting.system.form('/auth/login', { username: name, password: 'wrong' })
    await page.locator('tbody').getByText(name).first().waitFor()
    await page
      .locator('tbody tr')
      .filter({ hasText: name })
      .filter({ hasText: 'Wrong password' })
      .first()
      .waitFor()
  })

  test('a user’s activity is found by name, and leads to why they cannot log in', async () => {
    const name = await setting.addUser(`locked-${Date.now()}`)
    await setting.system.form('/auth/login', { username: name, password: 'wrong' })
    const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
      name,
    ])
    await page.evaluate(async (path) => {
      const headers = { 'content-type': 'application/json' }
      await fetch(path, { method: 'PATCH', headers, body: JSON.stringify({ disabled: true }) })
    }, `/admin/api/users/${user?.id}`)
    await page.goto('/admin/activity')
    await page.getByRole('combobox', { name: 'Find a user, client or IP address' }).fill(name)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/admin\/activity\?user_id=/)
    await page.getByRole('button', { name: `User: ${name}` }).waitFor()
    const rows = page.locator('tbody tr')
    await expect
      .poll(() => rows.allInnerTexts())
      .toEqual([
        expect.stringMatching(/Change user[\s\S]*disabled/),
        expect.stringContaining('Wrong password'),
      ])
    await button('What changed').click()
    expect(await page.getByRole('dialog').innerText()).toMatch(/Before\s+false\s+After\s+true/)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: `Login check: ${name}` }).click()
    await heading(page, name)
    await page.getByText('The user is disabled.').waitFor()
    await page.getByRole('link', { name: 'All activity' }).click()
    await page.waitForURL(/\/admin\/activity\?user_id=/)
    await page.getByRole('button', { name: `User: ${name}` }).click()
    await page.waitForURL(/\/admin\/activity$/)
  })

  test('an export has all rows of the list', async () => {
    await page.goto('/admin/clients?search=Listed')
    await button('Export').click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'All rows as JSON' }).click(),
    ])
    const chunks: Buffer[] = []
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer)
    const exported = JSON.parse(Buffer.concat(chunks).toString()) as { client_name: string }[]
    expect([download.suggestedFilename(), exported.map(({ client_name: name }) => name)]).toEqual([
      'clients.json',
      ['Listed'],
    ])
  })

  test('the dashboard counts, and its numbers lead to the lists behind them', async () => {
    await page.goto('/admin?range=6h')
    await page.getByRole('link', { name: /Failed logins/ }).click()
    await page.waitForURL(/\/admin\/activity\?.*outcome=failed/)
    await page.locator('tbody tr').first().waitFor()
  })

  test('the dashboard says which event backend fails, and what waits for it', async () => {
    // The events of what this test did before wait in it, too.
    await setting.sql('truncate events.outbox')
    await setting.sql(
      `insert into events.outbox (backend, envelope, created_at)
       select 'webhook', '{}', now() - interval '2 hours' from generate_series(1, 3)`,
    )
    const later = await openConsole(setting, '/admin/keys')
    // A problem is what has failed for a minute.
    await later.clock.setSystemTime(Date.now() + 120_000)
    await later.goto('/admin')
    await later.getByText('Webhook deliveries are failing.').waitFor()
    const row = later.getByRole('row', { name: /webhook/ })
    expect(await row.innerText()).toMatch(/Failing\s+First failure: .*\s+[3-9]\s+2 hours ago/)
    await later.context().close()
  })

  test('the dashboard looks back 30 days, and names the clients with the most tokens', async () => {
    const { client_id: id } = await setting.system.register({
      client_name: 'Busiest of all',
      grant_types: ['client_credentials'],
    })
    await setting.sql(
      `insert into token.client_usage (client_id, day, issued, refused, last_used_at)
       select $1, (now() at time zone 'UTC')::date - days, 123456, 3, now() from generate_series(0, 1) as days`,
      [id],
    )
    await setting.sql(
      `insert into token.usage_minutes values (now() - interval '29 days', 'client_credentials', 'issued', 7777777)`,
    )
    await page.goto('/admin')
    const row = page.getByRole('row', { name: /Busiest of all/ })
    await expect.poll(() => row.innerText()).toContain('123,456')
    await page.getByRole('radiogroup').getByText('30 days').click()
    await page.waitForURL(/range=30d/)
    await page.getByRole('heading', { name: 'Tokens issued per hour' }).waitFor()
    await page.getByRole('row', { name: /Busiest of all\s.*246,912/ }).waitFor()
    await page.getByText('In the last 30 days').waitFor()
    await page
      .getByRole('link', { name: /^Tokens issued/ })
      .getByText('7.8M')
      .waitFor()
    await row.getByRole('link', { name: 'Busiest of all' }).click()
    await page.waitForURL(`**/admin/clients/${id}`)
  })

  test('a part of the time that somebody drags over is in the address, and the numbers are of it', async () => {
    await setting.sql(
      `insert into token.usage_minutes
       select now() - minutes * interval '1 minute', 'client_credentials', 'issued', counted
       from (values (30, 11111), (6, 22222)) as usage (minutes, counted)`,
    )
    await page.goto('/admin')
    const issued = page.getByRole('link', { name: /^Tokens issued/ })
    const part = async () => {
      await issued.getByText('11,111', { exact: true }).waitFor()
      await page
        .locator('table', { hasText: 'Tokens issued per minute: Total' })
        .getByText('11,111')
        .waitFor()
    }
    const plot = page.locator('figure', { hasText: 'Tokens issued per minute' }).locator('.u-over')
    const { x, y, width, height } = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const at = (share: number) => page.mouse.move(x + width * share, y + height / 2)
    await at(0.35)
    await page.mouse.down()
    await at(0.5)
    await at(0.65)
    await page.mouse.up()
    await page.waitForURL(/[?&]zoom=\d+-\d+/)
    await part()
    await page.reload()
    await part()
    await button('Show the whole range').click()
    await page.waitForURL((url) => !url.searchParams.has('zoom'))
    await page.getByText('Drag across a chart to zoom in.').waitFor()
    await expect.poll(() => issued.getByText('11,111', { exact: true }).count()).toBe(0)
  })

  test('what could not be posted to the webhook says why, and a test event joins it', async () => {
    await page.goto('/admin/events?event_type=client_registered')
    await page.locator('tbody tr').getByText('the server cannot be reached: ECONNREFUSED').first().waitFor()
    await button('Send a test event').click()
    await notice(page, 'The test event will be sent.')
    await page.goto('/admin/events?event_type=webhook_test')
    await page.getByRole('link', { name: 'webhook_test' }).click()
    await heading(page, 'webhook_test')
    await page.getByText('"specversion": "1.0"').waitFor()
    await button('Send again').click()
    await notice(page, 'The event will be sent.')
  })
})
