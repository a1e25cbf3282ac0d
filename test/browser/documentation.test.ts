import { rootDirectory } from '@gatehouse/local/places'
import { program, run } from '@gatehouse/test/programs/programs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openConsole } from './console/console.ts'
import { type Setting, startSetting } from './support/setting.ts'
import { expectToFit, expectUsable } from './support/usable.ts'

const chromium = await program('chromium')

describe.skipIf(!chromium)('the documentation', () => {
  let setting: Setting
  beforeAll(async () => {
    const built = await run('npm', ['run', 'docs'], { cwd: rootDirectory })
    if (!built.ok) throw new Error(built.stdout + built.stderr)
    setting = await startSetting({ OAUTH2_PROFILE: 'openid' })
  }, 300_000)
  afterAll(() => setting?.stop())
  beforeEach(() => {
    setting.complaints.length = 0
  })

  test.each(['/docs/apps/login', '/docs/reference/configuration', '/docs/start/try-it'])(
    '%s is usable on small and large screens, in both themes',
    async (path) => {
      const page = await setting.newPage({ reducedMotion: 'reduce' })
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      // Before axe, which the policy forbids to read some styles.
      expect(setting.complaints).toEqual([])
      await expectUsable(page, [360, 768, 1280])
    },
  )

  test.each([360, 768, 1280])(
    'can be searched in a window of %i pixels, without another server',
    async (width) => {
      const page = await setting.newPage({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
      const asked: string[] = []
      page.on('request', (request) => void asked.push(request.url()))
      await page.goto('/docs/')
      await page.getByRole('button', { name: 'Search' }).first().click()
      await page.getByRole('searchbox').fill('backchannel_logout_uri')
      await page
        .getByRole('option', { name: /OpenID Connect/ })
        .first()
        .click()
      await page.waitForURL(/\/docs\/apps\/openid/)
      await page.getByRole('heading', { level: 1, name: /OpenID Connect/ }).waitFor()
      await expectToFit(page, [width])
      expect(asked.filter((url) => !url.startsWith(`${setting.system.baseUrl}/docs/`))).toEqual([])
      expect(setting.complaints).toEqual([])
    },
  )

  test('leads from page to page without loading it anew, and to the API reference', async () => {
    const page = await setting.newPage()
    await page.goto('/docs/')
    await page.evaluate('window.same = true')
    await page.getByRole('main').getByRole('link', { name: 'Back up and restore' }).click()
    await page.getByRole('heading', { level: 1, name: 'Back up and restore' }).waitFor()
    expect(await page.evaluate('window.same')).toBe(true)
    expect(setting.complaints).toEqual([])
    await page.goto('/docs/')
    await page.getByRole('main').getByRole('link', { name: 'openapi.json' }).click()
    await page.waitForURL(/\/swagger-ui/)
  })

  test('has a page for addresses that lead nowhere', async () => {
    const page = await setting.newPage()
    const answer = await page.goto('/docs/nothing')
    expect(answer?.status()).toBe(404)
    await page.getByText('PAGE NOT FOUND').waitFor()
    await page.getByRole('link', { name: 'Go to home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gatehouse' }).waitFor()
  })

  test('is a click away from the start page, an error and the console', async () => {
    const page = await setting.newPage()
    await page.goto('/')
    await page.getByRole('link', { name: 'Documentation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Gatehouse' }).waitFor()
    await page.goto('/nothing')
    await page.getByText('Details for developers').click()
    await page.getByRole('link', { name: /Documentation/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Troubleshooting' }).waitFor()
    const console = await openConsole(setting, '/admin')
    await console.getByRole('button', { name: /admin/ }).click()
    await console.getByRole('link', { name: 'Documentation' }).click()
    await console.getByRole('heading', { level: 1, name: 'Gatehouse' }).waitFor()
  })
})
