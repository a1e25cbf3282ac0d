import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * Expects a page to be accessible on small screens, with low vision and with a screen reader.
 * @param widths the widths of windows that it must fit in, in pixels
 */
export async function expectUsable(page: Page, widths: readonly number[] = [320, 360, 900]): Promise<void> {
  await expectToFit(page, widths)
  await page.evaluate(axe)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.evaluate(colored(colorScheme)), { timeout: 5_000 }).toBe(true)
    const { violations, passes } = await page.evaluate<Results>(`${run[colorScheme]}.then(${results})`)
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    expect(serious.map(({ id, nodes }) => [colorScheme, id, nodes])).toEqual([])
    expect(passes).toContain('color-contrast')
  }
}

/** Expects a page to fit in windows of these widths, in pixels, and to have one heading and a title. */
export async function expectToFit(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 640 })
    // A plot gets its new width a moment later.
    await expect.poll(() => page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(width)
  }
  // The console loads its pages later than the address says.
  await expect.poll(() => page.locator('h1').count(), { timeout: 10_000 }).toBe(1)
  await expect.poll(() => page.title(), { timeout: 10_000 }).toMatch(/.+ · Gatehouse$/)
}

/** Whether a page has the colors of a scheme: the console takes them a moment later, and they fade into each other. */
const colored = (scheme: string) =>
  `[null, '${scheme}'].includes(document.documentElement.getAttribute('data-mantine-color-scheme')) && document.getAnimations().every(({ playState }) => playState === 'finished')`

/** The part of axe's results that is read: as a whole they describe every element of the page. */
type Results = { violations: { id: string; impact: string; nodes: string[] }[]; passes: string[] }
const results = `({ violations, passes }) => ({
  violations: violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })),
  passes: passes.map(({ id }) => id),
})`

/** Elements that pass are not described, and style sheets not read again: that would take half of the time. */
const quick = `resultTypes: ['violations'], preload: false`

/** In the dark a page differs by its colours alone. */
const run = {
  light: `axe.run({ ${quick}, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  dark: `axe.run({ ${quick}, runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } })`,
}
