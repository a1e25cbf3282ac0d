import { browse, type CookieJar, submit } from '@gatehouse/test/browser/browser-login'
import { expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { addPerson, named, type Person, password } from './login-people.ts'

let system: TestSystem
let person: Person
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  person = await addPerson(system)
})

describe('keeps the browser on the system’s own origin after a login:', () => {
  test.each(
    named([
      '//evil.example',
      '//evil.example/account',
      '///evil.example',
      '////evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '\\/evil.example',
      '/\t/evil.example',
      '/\n/evil.example',
      '/\r\n/evil.example',
      '\t//evil.example',
      ' //evil.example',
      'https://evil.example',
      'https:evil.example',
      'https:/evil.example',
      'https:\\\\evil.example',
      'HTTP://evil.example',
      'http:evil.example',
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,a',
      'evil.example',
      '@evil.example',
      '.evil.example',
      ':80@evil.example',
      '/..//evil.example',
      '/.//evil.example',
      '/a/..//evil.example',
      '/%2e%2e//evil.example',
      '/a/%2e%2E//evil.example',
      '/..\\/evil.example',
      '/;@evil.example',
      '/%2f/evil.example',
      '/%5cevil.example',
      '%2f%2fevil.example',
      '/account#@evil.example',
      '/account\r\nset-cookie: a=b',
      '/\u{FF0F}evil.example',
      '/\u{2215}evil.example',
      '/account\0',
      `/${'a'.repeat(20_000)}`,
    ]),
  )('%s', async (_, returnTo) => {
    const jar: CookieJar = new Map()
    const response = await submit(system, jar, '/auth/login', {
      username: person.username,
      password,
      return_to: returnTo,
    })
    expect([303, 400]).toContain(response.status)
    const location = response.headers.get('location')
    if (location !== null) {
      // As a browser reads it.
      const { origin, pathname } = new URL(location, system.baseUrl)
      expect(origin).toBe(new URL(system.baseUrl).origin)
      expect(pathname).not.toMatch(/^\/\//)
      expect(location).not.toMatch(/^[^/]|^\/[/\\]|[\s\\]/)
    }
    expect(response.headers.get('set-cookie') ?? '').not.toContain('a=b')
    // The login page does not lead away either.
    const page = await browse(
      system,
      new Map(),
      `/auth/login?${new URLSearchParams({ return_to: returnTo })}`,
    )
    // A link to a page of our own may carry it, encoded, where it is checked again.
    expect(await page.text()).not.toMatch(
      /(action|href)="(?!\/auth\/(forgot|signup)\?return_to=%2F)[^"]*evil/,
    )
  })

  test.each([
    '/account',
    '/admin',
    '/oauth/authorize?client_id=a&state=%2F%2Fevil',
    '/account?done=password',
  ])('leads to %s', async (returnTo) => {
    const fields = { username: person.username, password, return_to: returnTo }
    const response = await submit(system, new Map(), '/auth/login', fields)
    expect(response.headers.get('location')).toBe(returnTo)
  })

  test('leads to the account by default', async () => {
    const response = await submit(system, new Map(), '/auth/login', { username: person.username, password })
    expect(response.headers.get('location')).toBe('/account')
  })
})

describe('refuses forms that other sites make a browser send:', () => {
  const origin = () => new URL(system.baseUrl).origin
  const foreign: [string, () => Record<string, string>][] = [
    ['cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['same-site', () => ({ 'sec-fetch-site': 'same-site', origin: origin() })],
    ['a strange Sec-Fetch-Site', () => ({ 'sec-fetch-site': 'nonsense' })],
    ['two Sec-Fetch-Sites', () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
    ['another origin', () => ({ origin: 'https://evil.example' })],
    [
      'another origin that claims same-origin',
      () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }),
    ],
    ['an opaque origin', () => ({ origin: 'null' })],
    ['an empty origin', () => ({ origin: '' })],
    ['another scheme', () => ({ origin: origin().replace('http:', 'https:') })],
    ['another port', () => ({ origin: 'http://localhost:1' })],
    ['the right origin with text after it', () => ({ origin: `${origin()}.evil.example` })],
  ]
  const forms: [string, Record<string, string>][] = [
    ['/auth/login', {}],
    ['/auth/logout', {}],
    ['/oauth/consent', { question: 'a'.repeat(43), decision: 'allow' }],
    [
      '/account/password',
      { current_password: password, new_password: 'attacker’s', new_password_again: 'attacker’s' },
    ],
    ['/account/sessions/end', { session_id: 'a' }],
    ['/account/apps/withdraw', { client_id: 'a' }],
  ]
  test.each(foreign)('%s', async (_, headers) => {
    for (const [path, fields] of forms) {
      const login = path === '/auth/login' ? { username: person.username, password } : {}
      const jar = new Map(person.jar)
      const response = await browse(system, jar, path, {
        method: 'POST',
        headers: { accept: 'application/json', ...headers() },
        body: new URLSearchParams({ ...fields, ...login }),
      })
      expect(response.headers.getSetCookie()).toEqual([])
      await expectRefusal(response, 403, 'access_denied')
    }
    // None of the forms had an effect.
    expect((await browse(system, person.jar, '/account')).status).toBe(200)
  })

  test.each(['application/json', 'text/plain', 'multipart/form-data; boundary=a', ''])(
    'a form with the content type %j, which needs no preflight',
    async (type) => {
      const response = await browse(system, new Map(), '/auth/login', {
        method: 'POST',
        headers: { accept: 'application/json', ...(type && { 'content-type': type }) },
        body: new TextEncoder().encode(JSON.stringify({ username: person.username, password })),
      })
      await expectRefusal(response, 400, 'invalid_request')
    },
  )

  test('and forbids framing, caching and content sniffing of pages', async () => {
    // Pages with passwords have scripts: they show what is typed, and ask for passkeys.
    for (const [path, scripts] of [
      ['/auth/login', " script-src 'self'"],
      ['/account', " script-src 'self'"],
      ['/oauth/authorize', undefined],
    ] as const) {
      const { headers } = await browse(system, person.jar, path)
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      const rules = headers.get('content-security-policy')?.split(';') ?? []
      expect(rules.find((rule) => rule.includes('script-src'))).toBe(scripts)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect([
        headers.get('x-frame-options'),
        headers.get('x-content-type-options'),
        headers.get('cache-control'),
      ]).toEqual(['DENY', 'nosniff', 'no-store'])
    }
  })
})
