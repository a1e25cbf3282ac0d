import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Waits until a page no longer changes. @returns the marks that tell it from another one */
export async function settled(page: Page): Promise<object> {
  let now = ''
  let looks = 0
  // A part of a page may be missing for a moment before it says that it loads.
  const quiet = async () => {
    const before = now
    const { busy, ...shown }: Seen = await page.evaluate(seen)
    now = JSON.stringify(shown)
    looks = now === before && shown.title.length === 1 && busy.length === 0 ? looks + 1 : 0
    return looks >= 2
  }
  await expect.poll(quiet, { timeout: 20_000, interval: 250 }).toBe(true)
  return JSON.parse(now)
}

type Seen = { title: string[]; busy: string[] }

const seen = `(() => {
  const all = (selector, of) => [...document.querySelectorAll('main ' + selector)].map(of)
  const text = (element) => element.innerText
  const value = (element) => element.value
  return {
    title: all('h1', text),
    tab: all('[role=tab][aria-selected=true]', text),
    columns: all('th', text),
    sorted: all('th[aria-sort]:not([aria-sort=none])', text),
    typed: all('input[type=search], select, [type=datetime-local]', value),
    chosen: all(':checked[type=radio], :checked[role=switch]', value),
    busy: all('[aria-busy=true], .mantine-Loader-root', text),
    rows: all('section > table > tbody > tr', () => 'row'),
  }
})()`
