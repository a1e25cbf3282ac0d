import type { BrowserContextOptions, Page } from 'playwright-core'
import { password, type Setting } from '../support/setting.ts'

/**
 * Opens a page of the console in a new browser context, logged in.
 * @param username the administrator
 */
export async function openConsole(
  { newPage }: Setting,
  path: string,
  { username = 'admin', ...options }: BrowserContextOptions & { username?: string } = {},
): Promise<Page> {
  const page = await newPage({ locale: 'en-US', reducedMotion: 'reduce', ...options })
  await page.goto(path)
  // In whatever language the browser asks for.
  await page.locator('[name=username]').fill(username)
  await page.locator('[name=password]').fill(password)
  await page.locator('main button[type=submit]').first().click()
  await page.waitForURL((url) => url.pathname.startsWith('/admin'))
  await page.locator('h1').waitFor()
  return page
}

/** The heading of the page of the console, once it is there. @param name the text that it must have */
export async function heading(page: Page, name: string): Promise<string> {
  const found = page.getByRole('heading', { level: 1, name })
  await found.waitFor()
  return found.innerText()
}

/** Waits for a notice of what was done or failed. */
export async function notice(page: Page, text: string): Promise<void> {
  await page.locator('.mantine-Notification-root', { hasText: text }).first().waitFor()
}

/** Confirms the open question. */
export async function confirmAction(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}
