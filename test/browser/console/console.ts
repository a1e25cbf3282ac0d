import { randomUUID } from 'node:crypto'
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

/** Sends JSON to the API as the administrator who is logged in. @returns the answer */
export function send(
  page: Page,
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  return page.evaluate(
    async ([method, path, body]) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(path, { method, headers, body: JSON.stringify(body) })
      return answer.json()
    },
    [method, path, body] as const,
  )
}

/** Searches in an input with the keyboard alone, and takes what is found. */
export async function choose(page: Page, label: string, text: string): Promise<void> {
  const input = page.getByRole('combobox', { name: label, exact: true })
  await input.fill(text)
  await page.getByRole('option').filter({ hasText: text }).first().waitFor()
  await input.press('ArrowDown')
  await input.press('Enter')
  await input.press('Escape')
}

/** Adds an ordinary user. @returns their name, their id and the path of their page */
export async function newUser(setting: Setting) {
  const name = await setting.addUser()
  const [user] = await setting.sql<{ id: string }>('select id from identity.users where username = $1', [
    name,
  ])
  return { name, id: user?.id ?? '', path: `/admin/users/${user?.id}` }
}

/** Goes to a page of the console as a link in it does, without loading all of its scripts again. */
export function follow(page: Page, path: string): Promise<void> {
  return page.evaluate((address) => history.pushState({}, '', address), path)
}

/** Creates an organization. @returns its names, its id and the path of its page */
export async function newOrganization(page: Page) {
  const slug = `o-${randomUUID()}`
  const name = `Organization ${slug}`
  const { organization_id: id } = await send(page, 'POST', '/admin/api/organizations', { name, slug })
  return { name, slug, id: String(id), path: `/admin/organizations/${id}` }
}

/** Makes a user a member of an organization. */
export function join(page: Page, organization: { id: string }, user: { id: string }, role = 'member') {
  const path = `/admin/api/organizations/${organization.id}/members`
  return send(page, 'PATCH', path, { set: [{ user_id: user.id, role }] })
}

/** Creates a resource server with the role `editor`. @returns its name and its id */
export async function newResourceServer(page: Page) {
  const name = `Tools ${randomUUID()}`
  const { resource_id: id } = await send(page, 'POST', '/admin/api/resources', {
    identifier: `https://api.example/${randomUUID()}`,
    name,
    scopes: [{ scope: 'orders:read', description: 'Read orders' }],
    roles: [
      { name: 'editor', description: 'Edits orders', scopes: ['orders:read'] },
      { name: 'auditor', description: 'Looks at orders', scopes: ['orders:read'] },
    ],
  })
  return { name, id: String(id) }
}
