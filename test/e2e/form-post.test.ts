import { browse, type CookieJar, hiddenFields, submit } from '@gatehouse/test/browser-login'
import { sharedAdmin } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import { callback, follow, requestOf, startProvider } from './openid-world.ts'

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
