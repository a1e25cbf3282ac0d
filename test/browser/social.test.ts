import { program } from '@gatehouse/test/programs/programs'
import { type GitHubStandIn, startGitHubStandIn } from '@gatehouse/test/servers/social-github'
import { type OpenIdStandIn, startOpenIdStandIn } from '@gatehouse/test/servers/social-openid'
import { standInClient } from '@gatehouse/test/servers/social-stand-in'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { heading, type Setting, startOwnSetting } from './support/setting.ts'

const chromium = await program('chromium')
const rules = `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`

describe.skipIf(!chromium)('logging in through a provider with a browser', () => {
  let setting: Setting
  let google: OpenIdStandIn
  let github: GitHubStandIn
  beforeAll(async () => {
    google = await startOpenIdStandIn('google')
    github = await startGitHubStandIn()
    const { clientId, clientSecret } = standInClient
    setting = await startOwnSetting({
      OAUTH2_GOOGLE_CLIENT_ID: clientId,
      OAUTH2_GOOGLE_CLIENT_SECRET: clientSecret,
      OAUTH2_GOOGLE_ISSUER: google.configuredIssuer,
      OAUTH2_GITHUB_CLIENT_ID: clientId,
      OAUTH2_GITHUB_CLIENT_SECRET: clientSecret,
      OAUTH2_GITHUB_BASE_URL: github.origin,
      OAUTH2_GITHUB_API_URL: github.apiUrl,
    })
    google.register(`${setting.system.baseUrl}/auth/callback/google`)
  })
  beforeEach(() => {
    setting.complaints.length = 0
    Object.assign(google, { trouble: 'none', tamper: (claims: object) => claims })
    github.trouble = 'none'
  })
  afterAll(async () => {
    await setting?.stop()
    await Promise.all([google?.close(), github?.close()])
  })

  /** Opens the login page. */
  async function loginPage(path = '/auth/login'): Promise<Page> {
    const page = await setting.newPage()
    await page.goto(path)
    return page
  }
  const press = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()

  async function expectUsable(page: Page): Promise<void> {
    for (const width of [320, 900]) {
      await page.setViewportSize({ width, height: 640 })
      await expect
        .poll(() => page.evaluate('document.scrollingElement.scrollWidth'))
        .toBeLessThanOrEqual(width)
    }
    await page.evaluate(axe.source)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations, passes } = (await page.evaluate(rules)) as axe.AxeResults
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(serious.map(({ id, nodes }) => [colorScheme, id, nodes.map(({ html }) => html)])).toEqual([])
      expect(passes.map(({ id }) => id)).toContain('color-contrast')
    }
  }

  test('shows the buttons of the configured providers on the login page, accessibly', async () => {
    const page = await loginPage()
    const buttons = page.getByRole('region', { name: 'Or log in with' }).getByRole('link')
    expect(await buttons.allInnerTexts()).toEqual(['Google', 'GitHub'])
    await expectUsable(page)
    expect(setting.complaints).toEqual([])
  })

  test.each([
    ['Google', 'ann.example'],
    ['GitHub', 'octocat'],
  ])('leads to %s and back to an account with the keyboard', async (provider, username) => {
    const page = await loginPage()
    const button = page.getByRole('link', { name: provider, exact: true })
    for (let presses = 0; presses < 10; presses += 1) {
      if (await button.evaluate((element) => element.ownerDocument.activeElement === element)) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await press(page, 'Continue')
    await page.waitForURL(`${setting.system.baseUrl}/account`)
    expect(await page.getByRole('main').innerText()).toContain(`You are logged in as ${username}.`)
    const how = page.getByRole('region', { name: 'How you log in' })
    expect(await how.getByRole('listitem').innerText()).toContain(provider)
    expect(await page.getByLabel('Current password').count()).toBe(0)
    await expectUsable(page)
    expect(setting.complaints).toEqual([])
  })

  test('gives the app its code after a login through a provider', async () => {
    const { app } = setting
    const client = await app.register()
    const page = await loginPage(app.authorizeAddress(client))
    await press(page, 'Google')
    await press(page, 'Continue')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(await app.redeem(client)).toMatchObject({ scope: 'read profile' })
    expect(setting.complaints).toEqual([])
  })

  test('returns a person who cancels to the login page of the app, where they can log in another way', async () => {
    const { app } = setting
    const page = await loginPage(app.authorizeAddress(await app.register()))
    await press(page, 'Google')
    await press(page, 'Cancel')
    expect(await heading(page)).toBe('You were not logged in')
    await expectUsable(page)
    await press(page, 'Go to the login page')
    expect(await page.getByRole('main').innerText()).toContain('to continue to Acme')
    await press(page, 'GitHub')
    await press(page, 'Continue')
    expect(await heading(page)).toBe('Acme wants access to your account')
  })

  const problems: Record<string, { heading: string; cause(page: Page): Promise<unknown> }> = {
    'the provider is down': {
      heading: 'Google does not answer',
      async cause(page) {
        await press(page, 'Google')
        google.trouble = 'down'
        google.troubledPath = '/token'
        await press(page, 'Continue')
      },
    },
    'the answer is wrong': {
      heading: 'Something is wrong with Google’s answer',
      async cause(page) {
        google.tamper = (claims) => ({ ...claims, aud: 'somebody else' })
        await press(page, 'Google')
        await press(page, 'Continue')
      },
    },
    'the callback is repeated': {
      heading: 'This login has ended',
      async cause(page) {
        await press(page, 'GitHub')
        const callback = page.waitForRequest('**/auth/callback/**')
        await press(page, 'Continue')
        await page.goto((await callback).url())
      },
    },
    'the user is disabled': {
      heading: 'You may not log in',
      async cause(page) {
        github.person = { ...github.person, id: 4711 }
        await press(page, 'GitHub')
        await press(page, 'Continue')
        await setting.sql('update identity.users set disabled_at = now() where not is_admin')
        await page.goto('/auth/login')
        await press(page, 'GitHub')
        await press(page, 'Continue')
        await setting.sql('update identity.users set disabled_at = null')
      },
    },
    'the provider is unknown': {
      heading: 'Okta is not available here',
      cause: (page) => page.goto('/auth/login/okta'),
    },
    'the provider is not configured': {
      heading: 'Microsoft is not set up here',
      cause: (page) => page.goto('/auth/login/azure'),
    },
  }
  test.each(Object.entries(problems))('says accessibly when %s', async (_, { heading: expected, cause }) => {
    const page = await loginPage()
    await cause(page)
    expect(await heading(page)).toBe(expected)
    expect(setting.complaints).toEqual([
      expect.stringMatching(/the server responded with a status of (4|503)/),
    ])
    await expectUsable(page)
    await press(page, 'Go to the login page')
    expect(await heading(page)).toBe('Log in')
  })
})
