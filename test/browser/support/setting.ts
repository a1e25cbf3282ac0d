import { randomUUID } from 'node:crypto'
import { sharedBrowser } from '@gatehouse/test/browser/browser'
import { sharedAdmin, sharedTestSystem, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from './app.ts'

/** The setting of a test file: a system, a browser, and an app that people log in to. */
export type Setting = {
  system: TestSystem
  app: App
  /** Runs a statement on the system's database. */
  sql<Row extends object>(statement: string, values?: unknown[]): Promise<Row[]>
  /** Adds an ordinary user with the common password, and returns their name. */
  addUser(username?: string): Promise<string>
  /** Opens an empty page in a new browser context, where nobody is logged in. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** The console messages (including policy violations) and exceptions of all pages. */
  complaints: string[]
  stop(): Promise<void>
}

/** The message of Chromium when a test types before the page has put the focus into its first field: no fault of the page. */
const typedFirst = 'Autofocus processing was blocked because a document already has a focused element.'

/** The initial password of every user. */
export const { password } = sharedAdmin

/** Variables of a system that takes public clients, and gives refresh tokens. */
export const everyClient = { OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true', OAUTH2_REFRESH_TOKEN_ENABLED: 'true' }

/** The variables that are set in the system that most files use. */
const usual = { ...everyClient, OAUTH2_EVENTS_ENABLED: 'true' }

/**
 * Starts the app and the browser beside a system that other files use as well.
 * @param variables instead of the usual ones: public clients, refresh tokens, and events
 */
export function startSetting(variables: Record<string, string> = usual): Promise<Setting> {
  return startAround(() => sharedTestSystem(variables))
}

/** The same, with a system of the file's own: for tests that count globally or change the system. */
export function startOwnSetting(variables: Record<string, string> = {}): Promise<Setting> {
  const { username, password } = sharedAdmin
  return startAround(() =>
    startTestSystem({ OAUTH2_SEED_USERNAME: username, OAUTH2_SEED_PASSWORD: password, ...variables }),
  )
}

async function startAround(start: () => Promise<TestSystem>): Promise<Setting> {
  const started = new AsyncDisposableStack()
  try {
    const system = await start()
    started.defer(() => system.stop())
    const database = new Client(system.databaseUrl)
    await database.connect()
    started.defer(() => database.end())
    const app = await startApp(system)
    started.defer(() => app.stop())
    const browser = await sharedBrowser()
    started.defer(async () => {
      for (const context of browser.contexts()) await context.close()
    })
    const complaints: string[] = []
    const sql: Setting['sql'] = async (statement, values) => (await database.query(statement, values)).rows
    return {
      system,
      app,
      sql,
      async addUser(username = `user-${randomUUID()}`) {
        // An argon2id hash does not depend on the user, so the administrator's works for another one.
        await sql(
          `insert into identity.users (id, username, password_hash, updated_at)
           select gen_random_uuid(), $1, password_hash, now() from identity.users where username = 'admin'`,
          [username],
        )
        return username
      },
      async newPage(options) {
        const context = await browser.newContext({ baseURL: system.baseUrl, ...options })
        context.setDefaultTimeout(30_000)
        context.on('console', (message) => {
          if (message.text() === typedFirst) return
          complaints.push(`${message.page()?.url()}: ${message.text()}`)
        })
        context.on('weberror', (error) => complaints.push(String(error.error())))
        return context.newPage()
      },
      complaints,
      stop: () => started.disposeAsync(),
    }
  } catch (error) {
    await started.disposeAsync()
    throw error
  }
}

/** Fills in and sends the open login page. */
export async function logIn(page: Page, username: string, typed = password): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(typed)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Opens a page in a new browser context and logs a user in; by default a new user. */
export async function loggedInPage(
  setting: Setting,
  username?: string,
  options?: BrowserContextOptions,
): Promise<Page> {
  const page = await setting.newPage(options)
  await page.goto('/auth/login')
  await logIn(page, username ?? (await setting.addUser()))
  await page.waitForURL(/\/(account|admin)$/)
  return page
}

/** The text of the page's only h1 heading. */
export function heading(page: Page): Promise<string> {
  return page.getByRole('heading', { level: 1 }).innerText()
}

/**
 * The cookies of a user. The login page's script also gets one that ties the answer of a passkey to this browser, for any user.
 * @param url only those that are sent to this address
 */
export async function userCookies(page: Page, url?: string) {
  const cookies = await page.context().cookies(...(url === undefined ? [] : [url]))
  return cookies.filter(({ name }) => name !== 'gatehouse_passkey')
}
