import { join } from 'node:path'
import { sharedBrowser } from '@gatehouse/test/browser/browser'
import { run } from '@gatehouse/test/programs/run'
import { ownEnvironment } from '@gatehouse/test/release'
import { sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import type { Page } from 'playwright-core'
import type { Scratch } from './scratch.ts'

/** The system of a scratch copy, as its users meet it. */
export type World = {
  system: TestSystem
  /** Runs the copy's command line. @returns its output @throws Error when it fails */
  gatehouse(...words: string[]): Promise<string>
  /** Opens a page of the copy's console, logged in. */
  openConsole(path: string): Promise<Page>
  stop(): Promise<void>
}

/** Starts the system of a scratch copy. @param variables those of its additions */
export async function startWorld(scratch: Scratch, variables: Record<string, string>): Promise<World> {
  const { startSystem } = await import(join(scratch.root, 'deploy/local/src/system.ts'))
  const { username, password } = sharedAdmin
  const ended = new AsyncDisposableStack()
  const system = await startTestSystem(
    {
      OAUTH2_PROFILE: 'openid',
      OAUTH2_REGISTRATION: 'open',
      OAUTH2_SEED_USERNAME: username,
      OAUTH2_SEED_PASSWORD: password,
      ...variables,
    },
    startSystem,
  )
  ended.defer(() => system.stop())
  const { baseUrl: baseURL } = system

  return {
    system,
    async gatehouse(...words) {
      const env = {
        ...ownEnvironment(scratch.root),
        // The profiles of the person who runs the tests do not count.
        ...{
          GATEHOUSE_CONFIG: '/nonexistent/profiles.json',
          GATEHOUSE_URL: baseURL,
          GATEHOUSE_PASSWORD: password,
        },
      }
      const argv = ['deploy/cli/src/main.ts', ...words]
      const { ok, stdout, stderr } = await run(process.execPath, argv, { cwd: scratch.root, env })
      if (!ok) throw new Error(`gatehouse ${words.join(' ')} failed: ${stderr}`)
      return stdout
    },
    async openConsole(path) {
      const context = await (await sharedBrowser()).newContext({ baseURL, locale: 'en-US' })
      ended.defer(() => context.close())
      const page = await context.newPage()
      await page.goto(path)
      await page.locator('[name=username]').fill(username)
      await page.locator('[name=password]').fill(password)
      await page.locator('main button[type=submit]').first().click()
      await page.waitForURL((url) => url.pathname.startsWith('/admin'))
      await page.locator('h1').waitFor()
      return page
    },
    stop: () => ended.disposeAsync(),
  }
}
