import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Expects a page to be accessible on small screens, with low vision and with a screen reader.
 * @param widths the widths of windows that it must fit in, in pixels
 */
export async function expectUsable(page: Page, widths: readonly number[] = [320, 360, 900]): Promise<void> {
  await expectToFit(page, widths)
  await page.evaluate(axe.source)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.evaluate(colored(colorScheme)), { timeout: 5_000 }).toBe(true)
    const { violations, passes } = (await page.evaluate(run[colorScheme])) as axe.AxeResults
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([])
    expect(passes.map(({ id }) => id)).toContain('color-contrast')
  }
}

/** Expects a page to fit in windows of these widths, in pixels, and to have one heading and a title. */
export async function expectToFit(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 640 })
    // A plot gets its new width a moment later.
    await expect.poll(() => page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
  expect(await page.locator('h1').count()).toBe(1)
  expect(await page.title()).toMatch(/.+ · Gatehouse$/)
}

/** Whether a page has the colors of a scheme: the console takes them a moment later, and they fade into each other. */
const colored = (scheme: string) =>
  `[null, '${scheme}'].includes(document.documentElement.getAttribute('data-mantine-color-scheme')) && document.getAnimations().every(({ playState }) => playState === 'finished')`

/** In the dark a page differs by its colours alone. */
const run = {
  light: `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  dark: `axe.run({ runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } })`,
}
