import { program } from '@gatehouse/test/programs'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { badPages, goodPages } from './pages.ts'
import { type Setting, startSetting } from './setting.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('every page', () => {
  let setting: Setting
  beforeAll(async () => {
    setting = await startSetting({ OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true' })
  })
  afterAll(() => setting?.stop())

  /** Expects what people need who see little, have a small screen, or read by ear. */
  async function expectUsable(page: Page): Promise<void> {
    for (const width of [320, 360, 900]) {
      await page.setViewportSize({ width, height: 640 })
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.title()).toMatch(/.+ · Gatehouse$/)
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations, passes } = (await page.evaluate(run)) as axe.AxeResults
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(serious.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([])
      expect(passes.map(({ id }) => id)).toContain('color-contrast')
    }
  }

  test.each(Object.entries(goodPages))(
    '%s: usable for everybody, and nothing to complain about for the browser',
    async (_, open) => {
      setting.complaints.length = 0
      const page = await open(setting, {})
      expect(setting.complaints).toEqual([])
      await expectUsable(page)
      await page.context().close()
    },
  )

  test.each(Object.entries(badPages))('%s: usable for everybody', async (_, open) => {
    setting.complaints.length = 0
    const page = await open(setting, {})
    expect(setting.complaints).toEqual([expect.stringContaining('the server responded with a status of 4')])
    await expectUsable(page)
    await page.context().close()
  })
})

const run = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`
