import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { startCollector } from '@gatehouse/test/servers/otlp'
import { type GitHubStandIn, startGitHubStandIn } from '@gatehouse/test/servers/social-github'
import { type OpenIdStandIn, startOpenIdStandIn, tenant } from '@gatehouse/test/servers/social-openid'
import { answerAt, standInClient } from '@gatehouse/test/servers/social-stand-in'
import { sharedTestSystem, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  authorizationRequest,
  password,
  pkce,
  query,
  redirectUri,
  registerApp,
} from './login-people.ts'

let system: TestSystem
let google: OpenIdStandIn
let microsoft: OpenIdStandIn
let github: GitHubStandIn
let collector: Awaited<ReturnType<typeof startCollector>>

beforeAll(async () => {
  collector = await startCollector()
  google = await startOpenIdStandIn('google')
  microsoft = await startOpenIdStandIn('microsoft')
  github = await startGitHubStandIn()
  const { clientId, clientSecret } = standInClient
  // No provider answers while the system starts.
  for (const standIn of [google, microsoft, github]) standIn.trouble = 'down'
  system = await startTestSystem({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OAUTH2_GOOGLE_CLIENT_ID: clientId,
    OAUTH2_GOOGLE_CLIENT_SECRET: clientSecret,
    OAUTH2_GOOGLE_ISSUER: google.configuredIssuer,
    OAUTH2_MICROSOFT_CLIENT_ID: clientId,
    OAUTH2_MICROSOFT_CLIENT_SECRET: clientSecret,
    OAUTH2_MICROSOFT_ISSUER: microsoft.configuredIssuer,
    OAUTH2_GITHUB_CLIENT_ID: clientId,
    OAUTH2_GITHUB_CLIENT_SECRET: clientSecret,
    OAUTH2_GITHUB_BASE_URL: github.origin,
    OAUTH2_GITHUB_API_URL: github.apiUrl,
  })
  await untilReady(system)
  for (const standIn of [google, microsoft, github]) standIn.trouble = 'none'
  google.register(`${system.baseUrl}/auth/callback/google`)
  microsoft.register(`${system.baseUrl}/auth/callback/microsoft`)
})
afterAll(async () => {
  await system?.stop()
  await Promise.all([google, microsoft, github, collector].map((server) => server?.close()))
})

type Name = 'google' | 'microsoft' | 'github'
const standInOf = (provider: Name) => ({ google, microsoft, github })[provider]

/** The callback address to which the provider redirects a browser that began a login. */
async function callbackOf(provider: Name, jar: CookieJar, returnTo = '', answer: 'allow' | 'deny' = 'allow') {
  const path = `/auth/login/${provider}${returnTo && `?return_to=${encodeURIComponent(returnTo)}`}`
  const response = await browse(system, jar, path)
  const location = response.headers.get('location')
  if (response.status !== 302 || !location)
    throw new Error(`it answered ${response.status} ${await response.text()}`)
  return answerAt(standInOf(provider), location, answer)
}

async function logInThrough(provider: Name, jar: CookieJar = new Map(), returnTo = '') {
  const response = await browse(system, jar, await callbackOf(provider, jar, returnTo))
  return { jar, response, location: response.headers.get('location') }
}

/** The user name and login methods on the account page. */
async function accountOf(jar: CookieJar) {
  const response = await browse(system, jar, '/account')
  const text = await response.text()
  return { text, username: /You are logged in as <strong><bdi>([^<]*)</.exec(text)?.[1] }
}

describe.each(['google', 'microsoft', 'github'] as const)('a login through %s', (provider) => {
  test('leads to the same account each time, which names the provider', async () => {
    const { jar, response, location } = await logInThrough(provider)
    expect([response.status, location]).toEqual([302, '/account'])
    const { text, username } = await accountOf(jar)
    expect(username).toMatch(/^(ann\.example|octocat)/)
    expect(text).toContain(
      `<strong>${{ google: 'Google', microsoft: 'Microsoft', github: 'GitHub' }[provider]}</strong>`,
    )
    expect(text).toContain('You do not need a password here')
    expect((await accountOf((await logInThrough(provider)).jar)).username).toBe(username)
  })

  test('continues the authorization request that needed the login', async () => {
    const app = await registerApp(system)
    const { challenge, verifier } = pkce()
    const jar: CookieJar = new Map()
    const request = `/oauth/authorize?${new URLSearchParams(authorizationRequest(app, challenge))}`
    const sent = (await browse(system, jar, request)).headers.get('location') ?? ''
    const page = await (await browse(system, jar, sent)).text()
    const button = new RegExp(`href="(/auth/login/${provider}[^"]*)"`)
      .exec(page)?.[1]
      ?.replaceAll('&amp;', '&')
    const begun = await browse(system, jar, button ?? 'no button')
    const callback = await answerAt(standInOf(provider), begun.headers.get('location') ?? '')
    const back = await browse(system, jar, callback)
    expect(back.headers.get('location')).toMatch(/^\/oauth\/continue\?flow=[\da-f-]{36}$/)
    const consent = await browse(system, jar, back.headers.get('location') ?? '')
    const fields = hiddenFields(await consent.text())
    const answer = await submit(system, jar, '/oauth/consent', { ...fields, decision: 'allow' })
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const tokens = await system.form('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: app.client_id,
      client_secret: app.client_secret,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    })
    expect(tokens.status).toBe(200)
  })

  test('ends the browser’s previous session and gives it a new secret', async () => {
    const person = await addPerson(system)
    const planted: CookieJar = new Map(person.jar)
    const { jar } = await logInThrough(provider, new Map(person.jar))
    expect(jar.get('gatehouse_session')).not.toBe(planted.get('gatehouse_session'))
    expect((await accountOf(planted)).username).toBeUndefined()
    expect((await accountOf(jar)).username).toBeDefined()
  })

  test('cannot be finished by another browser, nor twice', async () => {
    const jar: CookieJar = new Map()
    const callback = await callbackOf(provider, jar)
    const victim = new Map((await addPerson(system)).jar)
    const elsewhere = await browse(system, victim, callback)
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      400,
      expect.stringContaining('This login has ended'),
    ])
    expect((await accountOf(victim)).username).toMatch(/^person-/)
    expect((await browse(system, jar, callback)).status).toBe(302)
    expect((await browse(system, jar, callback)).status).toBe(400)
  })

  test('succeeds in two tabs of a browser', async () => {
    const jar: CookieJar = new Map()
    const [one, other] = [
      await callbackOf(provider, jar, '/account?done=app'),
      await callbackOf(provider, jar),
    ]
    expect((await browse(system, jar, one)).headers.get('location')).toBe('/account?done=app')
    expect((await browse(system, jar, other)).headers.get('location')).toBe('/account')
  })

  test('leads back to the waiting request when it is denied', async () => {
    const jar: CookieJar = new Map()
    const callback = await callbackOf(provider, jar, '/oauth/authorize?a=b', 'deny')
    const page = await browse(system, jar, callback)
    const text = await page.text()
    expect(page.status).toBe(403)
    expect(text).toContain('says that the login was cancelled')
    expect(text).toContain('href="/auth/login?return_to=%2Foauth%2Fauthorize%3Fa%3Db"')
    expect(jar.has('gatehouse_session')).toBe(false)
  })

  test('says when the provider is down', async () => {
    const jar: CookieJar = new Map()
    const callback = await callbackOf(provider, jar)
    standInOf(provider).trouble = 'down'
    const page = await browse(system, jar, callback)
    standInOf(provider).trouble = 'none'
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('does not answer')])
    expect((await logInThrough(provider)).location).toBe('/account')
  })
})

test('gives up on a provider after five seconds, with a page that says so', async () => {
  const jar: CookieJar = new Map()
  const callback = await callbackOf('google', jar)
  google.trouble = 'slow'
  const start = performance.now()
  const page = await browse(system, jar, callback)
  const seconds = (performance.now() - start) / 1_000
  google.trouble = 'none'
  expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('Google does not answer')])
  expect(seconds).toBeGreaterThan(4.9)
  expect(seconds).toBeLessThan(10)
})

test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
  ['for another client', (claims) => ({ ...claims, aud: 'somebody else' })],
  ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' })],
  ['with another nonce', (claims) => ({ ...claims, nonce: 'another' })],
  ['that is expired', (claims) => ({ ...claims, exp: 1_000_000_000 })],
])('refuses an id_token %s, with a page that says so', async (_, tamper) => {
  google.tamper = tamper
  const { jar, response } = await logInThrough('google')
  google.tamper = (claims) => claims
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('cannot be trusted'),
  ])
  expect(jar.has('gatehouse_session')).toBe(false)
})

test('tells a disabled user so', async () => {
  github.person = { ...github.person, id: 4711, login: 'disabled-one' }
  await logInThrough('github')
  await query(system, "update identity.users set disabled_at = now() where username = 'disabled-one'")
  const { response } = await logInThrough('github')
  github.person = { ...github.person, id: 583231, login: 'octocat' }
  expect([response.status, await response.text()]).toEqual([
    403,
    expect.stringContaining('Your account here is disabled'),
  ])
})

test('creates a new user for a person with the e-mail address of another user', async () => {
  const local = await addPerson(system, 'ann@example.com')
  google.person = { sub: 'another person', name: local.username, email: local.username, email_verified: true }
  const { jar } = await logInThrough('google')
  google.person = { sub: 'person-1', name: 'Ann Example' }
  expect((await accountOf(jar)).username).toMatch(/^ann\.example\.com-\d+$/)
  expect((await accountOf(await logIn(system, local.username, password))).username).toBe(local.username)
})

test('creates two users for one person at two providers', async () => {
  microsoft.person = { sub: 'p', tid: tenant, oid: 'oid-2', name: 'Two Providers' }
  google.person = { sub: 'two', name: 'Two Providers' }
  const names = await Promise.all(
    (['google', 'microsoft'] as const).map(
      async (one) => (await accountOf((await logInThrough(one)).jar)).username,
    ),
  )
  google.person = { sub: 'person-1', name: 'Ann Example' }
  expect(names.sort()).toEqual(['two.providers', 'two.providers-2'])
})

test('serves the alternative names of the routes', async () => {
  for (const path of ['/auth/login', '/auth/callback']) {
    for (const provider of ['okta', 'auth0'])
      await expectRefusal(await system.request(`${path}/${provider}`), 503, 'temporarily_unavailable')
    await expectRefusal(await system.request(`${path}/nobody`), 404, 'not_found')
  }
  const azure = await browse(system, new Map(), '/auth/login/azure')
  expect(azure.headers.get('location')).toMatch(new RegExp(`^${microsoft.origin}/`))
})

test('records no secret of a login in a span', async () => {
  const jar: CookieJar = new Map()
  const callback = await callbackOf('github', jar)
  await browse(system, jar, callback, {
    headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
  })
  const code = callback.searchParams.get('code') ?? ''
  await expect
    .poll(() => collector.spans.some(({ name }) => name.includes('FinishSocialLogin')), {
      timeout: 20_000,
    })
    .toBe(true)
  const text = collector.payloads.join()
  const secrets = [code, callback.searchParams.get('state'), standInClient.clientSecret, ...github.tokens]
  for (const secret of secrets) expect(text).not.toContain(secret)
})

test('shows no provider’s button without configuration, and says that each is not configured', async () => {
  const bare = await sharedTestSystem()
  await untilReady(bare)
  expect(await (await bare.request('/auth/login')).text()).not.toContain('Or log in with')
  for (const provider of ['google', 'microsoft', 'azure', 'github']) {
    for (const path of ['/auth/login', '/auth/callback']) {
      const description = await expectRefusal(
        await bare.request(`${path}/${provider}`),
        400,
        'invalid_request',
      )
      expect(description).toContain('not configured')
    }
  }
})
