import { randomUUID } from 'node:crypto'
import { launchBrowser } from '@gatehouse/test/browser'
import { sharedAdmin, sharedTestSystem, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { Client } from 'pg'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type App, startApp } from './app.ts'

/** What a test file has: a system, a browser, and an app that people log in to. */
export type Setting = {
  system: TestSystem
  browser: Browser
  app: App
  /** A statement on the system's database. */
  sql<Row extends object>(statement: string, values?: unknown[]): Promise<Row[]>
  /** Adds a user, who is no administrator, with everybody's password. Gives the name. */
  addUser(username?: string): Promise<string>
  /** An empty page in a browser of its own: nobody is logged in there. */
  newPage(options?: BrowserContextOptions): Promise<Page>
  /** What the browser has complained about on all pages: in the console (violations of a policy, too), or by an exception. */
  complaints: string[]
  stop(): Promise<void>
}

/** Everybody's, at first. */
export const { password } = sharedAdmin

/** Variables of a system that takes public clients, and gives refresh tokens. */
export const everyClient = { OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true', OAUTH2_REFRESH_TOKEN_ENABLED: 'true' }

/**
 * Starts it all, around a system that other files use as well.
 * @param variables of the system, besides those that every test has
 */
export function startSetting(variables: Record<string, string> = {}): Promise<Setting> {
  return startAround(() => sharedTestSystem(variables))
}

/** The same, around a system of the file's own: for what is counted, and for what changes the system. */
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
    const browser = await launchBrowser()
    started.defer(() => browser.close())
    const complaints: string[] = []
    const sql: Setting['sql'] = async (statement, values) => (await database.query(statement, values)).rows
    return {
      system,
      browser,
      app,
      sql,
      async addUser(username = `user-${randomUUID()}`) {
        // A hash of argon2id is of the password alone, so it is as good for another user.
        await sql(
          `insert into identity.users (id, username, password_hash, updated_at)
           select gen_random_uuid(), $1, password_hash, now() from identity.users where username = 'admin'`,
          [username],
        )
        return username
      },
      async newPage(options) {
        const context = await browser.newContext({ baseURL: system.baseUrl, ...options })
        context.setDefaultTimeout(10_000)
        context.on('console', (message) => complaints.push(`${message.page()?.url()}: ${message.text()}`))
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

/** Fills in the login page that is open, and sends it. */
export async function logIn(page: Page, username: string, typed = password): Promise<void> {
  await page.getByLabel('User name').fill(username)
  await page.getByLabel('Password').fill(typed)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** An empty page in a browser where a user is logged in; a new user unless named. */
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

/** The sentence of the page in its only heading of the first rank. */
export function heading(page: Page): Promise<string> {
  return page.getByRole('heading', { level: 1 }).innerText()
}
