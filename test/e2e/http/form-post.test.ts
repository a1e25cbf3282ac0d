import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { sharedBrowser } from '@gatehouse/test/browser/browser'
import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser/browser-login'
import { program } from '@gatehouse/test/programs/programs'
import { sharedAdmin } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { callback, follow, requestOf, startProvider } from '../openid/openid-world.ts'

const provider = await startProvider()
const { system } = provider
const config = await provider.configure(await provider.createClient())

test('discovery names the response mode', () => {
  expect(config.serverMetadata().response_modes_supported).toEqual(['query', 'form_post'])
})

test('an answer in a form reaches the client after login and consent, and so do errors', async () => {
  const asked = await requestOf(config)
  asked.address.searchParams.set('response_mode', 'form_post')
  asked.address.searchParams.set('prompt', 'consent')
  // The pages of the login and of consent come first; no page answers a form with a password.
  const { page } = await follow(system, new Map(), asked.address)
  const answer = hiddenFields(page)
  expect(page).toContain(`action="${callback}"`)
  expect(answer).toMatchObject({ code: expect.stringMatching(/^[\w-]{43}$/), iss: system.baseUrl })
  const received = new Request(callback, { method: 'POST', body: new URLSearchParams(answer) })
  const tokens = await client.authorizationCodeGrant(config, received, asked.checks)
  expect(tokens.claims()?.iss).toBe(system.baseUrl)

  asked.address.searchParams.set('prompt', 'none')
  const refused = await follow(system, new Map(), asked.address)
  expect(hiddenFields(refused.page)).toMatchObject({ error: 'login_required', iss: system.baseUrl })
  asked.address.searchParams.set('prompt', 'nothing')
  const wrong = await follow(system, new Map(), asked.address)
  expect(hiddenFields(wrong.page)).toMatchObject({ error: 'invalid_request', iss: system.baseUrl })
})

test('a login with the password redirects to the page that posts the answer', async () => {
  const asked = await requestOf(config)
  asked.address.searchParams.set('response_mode', 'form_post')
  // The user has agreed before.
  await follow(system, new Map(), asked.address)
  const jar: CookieJar = new Map()
  const login = (await browse(system, jar, asked.address)).headers.get('location') ?? ''
  const fields = hiddenFields(await (await browse(system, jar, login)).text())
  const answer = await submit(system, jar, '/auth/login', { ...fields, ...sharedAdmin })
  const location = answer.headers.get('location') ?? ''
  expect([answer.status, location]).toEqual([303, expect.stringMatching(/^\/oauth\/continue\?flow=/)])
  const page = await browse(system, jar, location)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(`action="${callback}"`)])
})

test.skipIf(!(await program('chromium')))(
  'Chromium posts the answer by itself, or by the button without scripts',
  async () => {
    const posts: { origin: string | undefined; body: URLSearchParams }[] = []
    const app = createServer(async (request, response) => {
      if (request.method === 'POST')
        posts.push({ origin: request.headers.origin, body: new URLSearchParams(await text(request)) })
      response.end('arrived')
    }).listen(0, '127.0.0.1')
    await once(app, 'listening')
    const redirectUri = `http://127.0.0.1:${(app.address() as AddressInfo).port}/cb`
    const created = await provider.createClient({ redirect_uris: [redirectUri] })
    const { address } = await requestOf(await provider.configure(created))
    address.searchParams.set('redirect_uri', redirectUri)
    address.searchParams.set('response_mode', 'form_post')
    for (const javaScriptEnabled of [true, false]) {
      const context = await (await sharedBrowser()).newContext({ javaScriptEnabled })
      const page = await context.newPage()
      await page.goto(address.href)
      await page.locator('[name=username]').fill(sharedAdmin.username)
      await page.locator('[name=password]').fill(sharedAdmin.password)
      await page.locator('form[action="/auth/login"] button[type=submit]').last().click()
      // The user agrees the first time.
      if (javaScriptEnabled) await page.locator('button[value=allow]').click()
      else await page.locator(`form[action="${redirectUri}"] button`).click()
      await page.waitForURL(redirectUri)
      await context.close()
    }
    app.close()
    for (const { origin, body } of posts) {
      expect(origin).toBe(system.baseUrl)
      expect(body.get('code')).toMatch(/^[\w-]{43}$/)
    }
    expect(posts).toHaveLength(2)
  },
)
