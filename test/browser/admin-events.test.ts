import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rows } from './administration.ts'
import { heading, loggedInPage, logIn, type Setting, startSetting } from './setting.ts'
import { expectUsable } from './usable.ts'

/** On a busy machine an event takes more than a moment. */
const eventually = <Found>(look: () => Promise<Found>) => expect.poll(look, { timeout: 15_000 })

const chromium = await program('chromium')

describe.skipIf(!chromium)('the events', () => {
  let setting: Setting
  let page: Page
  let ending: Page
  beforeAll(async () => {
    setting = await startSetting({ OAUTH2_EVENTS_ENABLED: 'true' })
    page = await loggedInPage(setting, 'admin')
    // It takes some seconds until that is found out.
    ending = await loggedInPage(setting, 'admin')
    await open('/admin/events', ending)
    await setting.sql(
      'delete from identity.sessions where id = (select id from identity.sessions order by created_at desc limit 1)',
    )
  })
  afterAll(() => setting?.stop())

  /** Sends an event from outside. */
  async function send(eventType: string, more: object = {}): Promise<string> {
    const answer = await setting.system.json('/events/ingest', { event: { event_type: eventType, ...more } })
    expect(answer.status).toBe(202)
    return ((await answer.json()) as { event_id: string }).event_id
  }
  const row = (type: string, of = page) => of.locator('#events tr', { hasText: type })
  const live = () => page.locator('#live').innerText()
  /** The page, live and with at least one event. */
  async function open(path = '/admin/events', of = page): Promise<void> {
    await of.goto(path)
    await of.locator('#live', { hasText: /^Live$/ }).waitFor()
  }

  test('appear as they happen, the newest on top, without a reload', async () => {
    setting.complaints.length = 0
    await page.goto('/admin')
    await page.getByRole('link', { name: 'Events' }).click()
    expect(await heading(page)).toBe('Events')
    await page.locator('#live', { hasText: /^Live$/ }).waitFor()
    await page.evaluate('window.stayed = true')
    await send('first_thing', { severity: 'warning', error: 'broken', client_id: 'client_x', user_id: 'ann' })
    await row('first_thing').waitFor()
    await send('second_thing')
    await row('second_thing').waitFor()
    const types = (await rows(page)).map(([, type]) => type)
    expect(types.indexOf('second_thing')).toBeLessThan(types.indexOf('first_thing'))
    const cells = (await rows(page)).find(([, type]) => type === 'first_thing')
    expect(cells).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      'first_thing',
      'warning',
      'external from outside',
      'client_x\nann',
      'broken',
    ])
    expect(await page.evaluate('window.stayed')).toBe(true)
    expect(setting.complaints).toEqual([])
  })

  test('of this system are told from those that only say so', async () => {
    await open()
    const person = await loggedInPage(setting)
    await person.getByRole('button', { name: 'Log out', exact: true }).click()
    const own = row('user_logout').filter({ hasNot: page.locator('.outside') })
    await own.waitFor()
    expect(await own.getByRole('link', { name: /^[\da-f-]{36}$/ }).getAttribute('href')).toMatch(
      /^\/admin\/users\//,
    )
    await send('user_logout')
    await row('user_logout').filter({ hasText: 'from outside' }).waitFor()
    await page.getByLabel('Type').selectOption('user_logout')
    await page.getByLabel('From').selectOption('This system')
    await eventually(() => row('').count()).toBe(1)
    await page.getByLabel('From').selectOption('Outside')
    await eventually(() => row('from outside').count()).toBe(1)
    await page.getByLabel('From').selectOption('Everywhere')
    expect(await page.locator('caption').innerText()).toContain(': 1 of this system, 1 from outside')
    await person.context().close()
  })

  test('are shown by type, and the address keeps it', async () => {
    await send('third_thing')
    await open()
    await row('third_thing').waitFor()
    await page.getByLabel('Type').selectOption('third_thing')
    expect((await rows(page)).map(([, type]) => type)).toEqual(['third_thing'])
    await send('fourth_thing')
    await send('third_thing')
    await eventually(() => row('third_thing').count()).toBe(2)
    expect(await row('fourth_thing').count()).toBe(0)
    await page.reload()
    await eventually(() => row('').count()).toBe(2)
    await page.getByLabel('Type').selectOption('token_revoked')
    await page.getByText('Nothing of that kind.').waitFor()
  })

  test('wait while somebody reads, who is told how many came', async () => {
    await open()
    await page.getByRole('button', { name: 'Pause' }).click()
    const before = await rows(page)
    for (let count = 0; count < 3; count++) await send('meanwhile')
    await page.getByText('Paused: 3 came meanwhile').waitFor()
    expect(await rows(page)).toEqual(before)
    await page.getByRole('button', { name: 'Resume' }).click()
    await eventually(() => row('meanwhile').count()).toBe(3)
    expect(await live()).toBe('Live')
    await send('afterwards')
    await row('afterwards').waitFor()
  })

  test('one is read in full by the keyboard, and the focus comes back to it while others come', async () => {
    const id = await send('in_full', { metadata: { order: '<b>A-1001</b>' } })
    await open()
    await row('in_full').getByRole('link').focus()
    await page.keyboard.press('Enter')
    const full = page.getByRole('dialog', { name: 'in_full' })
    await full.waitFor()
    const envelope = JSON.parse(await full.getByRole('region', { name: 'Envelope' }).innerText())
    expect(envelope).toMatchObject({
      event: { id, event_type: 'in_full', metadata: { order: '<b>A-1001</b>' } },
      producer: 'external',
    })
    expect(await full.innerText()).toContain('Somebody sent it; it did not happen in this system.')
    await send('meanwhile_again')
    await row('meanwhile_again').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    await full.waitFor({ state: 'hidden' })
    expect(await page.evaluate('document.activeElement.innerText')).toBe('in_full')
    await page.keyboard.press('Enter')
    await full.getByRole('button', { name: 'Close' }).press('Enter')
    await full.waitFor({ state: 'hidden' })
  })

  test('are usable for everybody: the list and one in full', async () => {
    await send(`long_${'w'.repeat(200)}`, {
      error: 'e'.repeat(60),
      client_id: 'client_'.repeat(12),
      metadata: { text: 'w'.repeat(400) },
    })
    await open()
    await row('long_').waitFor()
    setting.complaints.length = 0
    await expectUsable(page)
    await row('long_').getByRole('link').click()
    await page.getByRole('dialog').waitFor()
    await expectUsable(page)
    expect(setting.complaints).toEqual([])
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  test('are a list to reload where there is no script', async () => {
    await send('without_script')
    const plain = await loggedInPage(setting, 'admin', { javaScriptEnabled: false })
    await eventually(async () => {
      await plain.goto('/admin/events?type=without_script')
      return (await rows(plain)).map(([, type]) => type)
    }).toEqual(['without_script'])
    expect(await plain.getByRole('button', { name: 'Pause' }).isVisible()).toBe(false)
    await send('without_script')
    await eventually(async () => {
      await plain.getByRole('link', { name: 'Reload it' }).click()
      return row('without_script', plain).count()
    }).toBe(2)
    await row('', plain).first().getByRole('link').click()
    expect(await plain.getByRole('region', { name: 'Envelope' }).innerText()).toContain('"without_script"')
    await plain.getByRole('link', { name: 'Close' }).click()
    await plain.getByLabel('From').selectOption('This system')
    await plain.getByRole('button', { name: 'Show' }).click()
    expect(await plain.getByText('Nothing to show').isVisible()).toBe(true)
    await plain.context().close()
  })

  test('go on after the server was away, which is said', async () => {
    const own = await loggedInPage(setting, 'admin')
    await own.clock.install()
    await own.route('**/admin/api/**', (route) => route.abort())
    await own.goto('/admin/events')
    await own.getByText('The server does not answer. Trying again.').waitFor()
    await own.unroute('**/admin/api/**')
    await own.clock.runFor(5_000)
    await own.locator('#trouble').waitFor({ state: 'hidden' })
    await own.locator('#live', { hasText: /^Live$/ }).waitFor()
    await own.context().close()
  })

  test('end with the session, which leads to the login and back', async () => {
    await ending.getByLabel('User name').waitFor({ timeout: 30_000 })
    await logIn(ending, 'admin')
    await ending.waitForURL('**/admin/events')
  })
})
