import { launchBrowser } from '@gatehouse/test/browser/browser'
import { introspectionOf } from '@gatehouse/test/oauth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SinglePageApp } from '../tutorials/single-page-app.ts'
import { person, specialState, type World } from '../world.ts'

/** The part of oidc-client-ts's user that the tests use. */
type User = {
  access_token: string
  refresh_token: string
  token_type: string
  scope: string
  url_state: string
  state: string
}

/** Logs a user in from the app, and stops at the consent page. */
async function toConsentPage(page: Page, { origin }: SinglePageApp): Promise<void> {
  await page.goto(origin)
  await page.locator('body[data-ready]').waitFor()
  await page.click('#log-in')
  await page.fill('#username', person.username)
  await page.fill('#password', person.password)
  await page.click('button[type=submit]')
  await page.locator('button[value=allow]').waitFor()
  expect(await page.textContent('h1')).toContain('Photo wall')
}

/** The output of the app when it has finished. */
async function shown<Shown>(page: Page): Promise<Shown> {
  await page.locator('output:not(:empty)').waitFor()
  return JSON.parse((await page.textContent('output')) ?? '') as Shown
}

/** Tests oidc-client-ts 3 in a single-page app on another origin, with a system that has refresh tokens and public clients. */
export function oidcClientTs(there: () => World): void {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    const { app, system } = there()
    const { client_id } = await system.register({
      client_name: 'Photo wall',
      redirect_uris: [`${app.origin}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'read write',
      token_endpoint_auth_method: 'none',
    })
    app.configure({ authority: system.baseUrl, client_id, scope: 'read', url_state: specialState })
    // Without the cookies of the previous test.
    page = await browser.newPage()
    page.setDefaultTimeout(10_000)
  })
  afterEach(() => page?.close())

  test('logs in, refreshes in the background, and revokes its tokens', async () => {
    const { app, system } = there()
    await toConsentPage(page, app)
    await page.click('button[value=allow]')
    await page.waitForURL(`${app.origin}/callback?**`)
    const user = await shown<User>(page)
    expect(user).toMatchObject({
      token_type: 'Bearer',
      scope: 'read',
      state: specialState,
      url_state: specialState,
    })
    const introspection = JSON.parse(await introspectionOf(system, user.access_token))
    expect(introspection).toMatchObject({ active: true, username: person.username })

    await page.click('#refresh')
    const refreshed = await shown<User>(page)
    expect(refreshed.refresh_token).toEqual(expect.any(String))
    expect(refreshed.refresh_token).not.toBe(user.refresh_token)

    await page.click('#revoke')
    expect(await shown(page)).toBeNull()
    for (const { access_token } of [user, refreshed]) {
      expect(await introspectionOf(system, access_token)).toBe('{"active":false}')
    }
  })

  test('is told that the user denied', async () => {
    await toConsentPage(page, there().app)
    await page.click('button[value=deny]')
    expect(await shown(page)).toEqual({ error: 'access_denied' })
  })
}
