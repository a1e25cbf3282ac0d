import { program } from '@gatehouse/test/programs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askForToken } from './administration.ts'
import { heading, loggedInPage, logIn, type Setting, startOwnSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the dashboard', () => {
  let setting: Setting
  let page: Page
  beforeAll(async () => {
    setting = await startOwnSetting()
    page = await loggedInPage(setting, 'admin')
  })
  afterAll(() => setting?.stop())

  const figure = (name: string) => page.locator(`[data-figure="${name}"]`).innerText()
  /** The number of pixels of a plot with about the colour of its first line. */
  const inked = (name: string) =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('[data-plot="${name}"] canvas')
      const ink = getComputedStyle(document.documentElement).getPropertyValue('--plot-1').trim()
      const parts = [1, 3, 5].map((start) => Number.parseInt(ink.slice(start, start + 2), 16))
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true })
      copy.drawImage(canvas, 0, 0)
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
      let count = 0
      for (let at = 0; at < data.length; at += 4)
        if (data[at + 3] > 200 && parts.every((part, index) => Math.abs(data[at + index] - part) < 12)) count++
      return count
    })()`) as Promise<number>

  test('updates figures and plots without a reload, in both colour schemes', {
    timeout: 120_000,
  }, async () => {
    const client = await setting.system.register()
    await page.goto('/admin')
    expect(await heading(page)).toBe('Dashboard')
    await page.evaluate('window.stayed = true')
    for (let tokens = 0; tokens < 20; tokens++) await askForToken(setting, client)
    for (let wrong = 0; wrong < 3; wrong++) await askForToken(setting, { ...client, client_secret: 'wrong' })
    await expect
      .poll(async () => Number(await figure('issued')), { timeout: 50_000, interval: 500 })
      .toBeGreaterThan(0)
    expect(await page.evaluate('window.stayed')).toBe(true)
    expect(Number(await figure('logins'))).toBeGreaterThan(0)
    expect(await figure('processes')).toBe('5 of 5')
    expect(await page.locator('#live').innerText()).toMatch(/^Live: the last hour, as of \d\d:\d\d:\d\d UTC$/)
    expect(await page.locator('[data-plot="issued"] .u-legend').innerText()).toContain('client_credentials')
    // Something late in one interval of ten seconds may be counted in the next.
    for (const name of ['issued', 'refused', 'logins'])
      await expect.poll(() => inked(name), { timeout: 30_000, interval: 500 }).toBeGreaterThan(0)

    await page.emulateMedia({ colorScheme: 'dark' })
    for (const name of ['issued', 'refused', 'logins'])
      await expect.poll(() => inked(name), { timeout: 10_000 }).toBeGreaterThan(0)
    expect(await page.evaluate('window.stayed')).toBe(true)
    await page.emulateMedia({ colorScheme: 'light' })
    expect(setting.complaints).toEqual([])
  })

  test('lists every process with its health', async () => {
    await page.goto('/admin')
    const services = await page
      .locator('#replicas tr')
      .evaluateAll((found) =>
        found.map((row) => [...row.querySelectorAll('td')].map(({ innerText }) => innerText)),
      )
    expect(services.map(([service, , , state]) => [service, state]).toSorted()).toEqual(
      ['client-registry', 'events', 'gateway', 'identity', 'token'].map((service) => [service, 'healthy']),
    )
  })

  /** Opens a dashboard with a clock that the test controls. */
  async function dashboardWithClock(): Promise<Page> {
    const own = await loggedInPage(setting, 'admin')
    await own.clock.install()
    await own.goto('/admin')
    await own.locator('.uplot').first().waitFor()
    await own.getByText('Live: the last hour').waitFor()
    return own
  }

  test('leads to the login and back when the session ends', async () => {
    const own = await dashboardWithClock()
    await own.context().clearCookies({ name: 'gatehouse_session' })
    await own.clock.runFor(10_000)
    await own.getByLabel('User name').waitFor()
    await logIn(own, 'admin')
    await own.waitForURL('**/admin')
    expect(await heading(own)).toBe('Dashboard')
  })

  test('says that the server does not answer, until it is back', async () => {
    const own = await dashboardWithClock()
    await own.route('**/admin/api/**', (route) => route.abort())
    await own.clock.runFor(10_000)
    await own.getByText('The server does not answer. Trying again.').waitFor()
    await own.unroute('**/admin/api/**')
    await own.clock.runFor(10_000)
    await own.locator('#trouble').waitFor({ state: 'hidden' })
    expect(await own.locator('#live').innerText()).toMatch(/^Live/)
  })
})
