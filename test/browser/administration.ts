import type { RegisteredClient } from '@gatehouse/test/system'
import type { Locator, Page } from 'playwright-core'
import type { Setting } from './setting.ts'

/** A page's success message. */
export function message(page: Page): Promise<string> {
  return page.getByRole('status').innerText()
}

/** A page's error message, which must have the focus so that screen readers read it. */
export function problem(page: Page): Promise<string> {
  return page.locator('[role=alert]:focus').innerText()
}

/** The cells of a table's rows. */
export async function rows(page: Page): Promise<string[][]> {
  const found = await page.locator('tbody tr').all()
  return Promise.all(found.map((row) => row.getByRole('cell').allInnerTexts()))
}

/** The values of a page's description list, by name. */
export async function facts(page: Page): Promise<Record<string, string>> {
  const texts = async (of: Locator) => (await of.allInnerTexts()).map((text) => text.trim())
  const [names, values] = [await texts(page.locator('.facts dt')), await texts(page.locator('.facts dd'))]
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

/** Follows a link to a confirmation and confirms it. */
export async function doAfterQuestion(page: Page, link: string | RegExp, button: string): Promise<void> {
  await page.getByRole('link', { name: link }).click()
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.waitForURL(/[?&]done=/)
}

/** Opens the page of a client. */
export function openClient(page: Page, { client_id }: Pick<RegisteredClient, 'client_id'>) {
  return page.goto(`/admin/clients/${client_id}`)
}

/** Opens the page of a user. @returns their id */
export async function openUser(page: Page, { sql }: Setting, username: string): Promise<string> {
  const [row] = await sql<{ id: string }>('select id from identity.users where username = $1', [username])
  if (!row) throw new Error(`there is no user ${username}`)
  await page.goto(`/admin/users/${row.id}`)
  return row.id
}

/** Requests a token with client_credentials. */
export async function askForToken(
  { system }: Setting,
  { client_id, client_secret }: RegisteredClient,
): Promise<{ status: number; accessToken: string }> {
  const grant = { grant_type: 'client_credentials', client_id, client_secret }
  const answer = await system.form('/oauth/token', grant)
  const { access_token: accessToken = '' } = (await answer.json()) as { access_token?: string }
  return { status: answer.status, accessToken }
}

/** Whether an access token is active. */
export async function isActive({ system }: Setting, token: string): Promise<boolean> {
  const answer = await system.form('/oauth/introspect', { token })
  return ((await answer.json()) as { active: boolean }).active
}
