import type { FinishSocialLoginResponse } from '@gatehouse/proto/identity/v1'
import { SocialLoginProblemKind as Kind } from '@gatehouse/proto/identity/v1'
import { describe, expect, test } from 'vitest'
import {
  ann,
  authorizePath,
  browser,
  cookie,
  cookiesOf,
  locationOf,
  newSession,
  pageErrorOf,
  refusing,
  root,
  secret,
} from '../../../testing/browser.ts'
import { type Changes, errorOf, gateway } from '../../../testing/gateway.ts'

const [first, second, third, fourth] = ['1', '2', '3', '4'].map((digit) => digit.repeat(43)) as [
  string,
  string,
  string,
  string,
]
const socialCookie = (...secrets: string[]) => cookie('gatehouse_social', ['social', ...secrets].join('.'))

const finishing = (outcome: FinishSocialLoginResponse['outcome']): Changes => ({
  identity: { finishSocialLogin: async () => ({ outcome }) },
})
const succeeding = (returnTo?: string, user = ann) =>
  finishing({
    $case: 'login',
    value: { session: newSession(user), returnTo, created: false },
  })
const failing = (kind: Kind, returnTo?: string) => finishing({ $case: 'problem', value: { kind, returnTo } })

describe('a login through a provider', () => {
  test('begins with a redirect to the provider and a cookie for ten minutes below /auth that scripts cannot read', async () => {
    const { get, asked } = await browser()
    const answer = await get('/auth/login/google?return_to=%2Faccount%3Fa%3Db')
    expect([answer.status, locationOf(answer)]).toEqual([302, 'https://provider.example/authorize?state=s'])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(asked('beginSocialLogin')).toEqual([
      { provider: 'google', returnTo: '/account?a=b', again: false },
    ])
    const [set] = cookiesOf(answer)
    expect(decodeURIComponent(set?.pair ?? '')).toBe(decodeURIComponent(socialCookie('b'.repeat(43))))
    expect(set?.attributes.sort()).toEqual([
      'HttpOnly',
      'Max-Age=600',
      'Path=/auth',
      'SameSite=Lax',
      'Secure',
    ])
  })

  test('over http sets a cookie without Secure', async () => {
    const { send } = await gateway({ issuer: 'http://localhost:8080' })
    const [set] = cookiesOf(await send('GET', '/auth/login/github'))
    expect(set?.attributes.sort()).toEqual(['HttpOnly', 'Max-Age=600', 'Path=/auth', 'SameSite=Lax'])
  })

  test('may be under way three times in one browser', async () => {
    const { get } = await browser()
    const [set] = cookiesOf(await get('/auth/login/google', { cookie: socialCookie(first, second, third) }))
    expect(decodeURIComponent(set?.pair ?? '')).toBe(
      decodeURIComponent(socialCookie('b'.repeat(43), first, second)),
    )
  })

  test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)', ''])(
    'ignores return_to=%s',
    async (returnTo) => {
      const { get, asked } = await browser()
      await get(`/auth/login/google?return_to=${encodeURIComponent(returnTo)}`)
      expect(asked('beginSocialLogin')).toEqual([{ provider: 'google', again: false }])
      const { get: comeBack } = await browser(succeeding(returnTo))
      expect(locationOf(await comeBack('/auth/callback/google'))).toBe('/account')
    },
  )

  test('asks the provider to authenticate the person again where the login page says so', async () => {
    const { get, asked } = await browser()
    await get('/auth/login/google?return_to=%2Faccount&again=yes')
    expect(asked('beginSocialLogin')).toEqual([{ provider: 'google', returnTo: '/account', again: true }])
  })

  test('accepts Microsoft’s other name too', async () => {
    const { get, asked } = await browser(succeeding())
    await get('/auth/login/azure')
    await get('/auth/callback/azure?code=c')
    expect(asked('beginSocialLogin')).toMatchObject([{ provider: 'microsoft' }])
    expect(asked('finishSocialLogin')).toMatchObject([{ provider: 'microsoft' }])
  })

  test('ends with a call to the identity service with the unchanged query, the cookie’s secrets and the session', async () => {
    const { get, asked } = await browser(succeeding())
    const query = 'code=a%20b&state=s&state=t&iss=https%3A%2F%2Fprovider.example'
    const session = cookie('gatehouse_session', secret)
    await get(`/auth/callback/google?${query}`, {
      'user-agent': 'Netscape/4.0',
      cookie: `${socialCookie(first, second)}; ${session}`,
    })
    expect(asked('finishSocialLogin')).toEqual([
      {
        provider: 'google',
        query,
        browserSecrets: [first, second],
        ipAddress: '127.0.0.1',
        userAgent: 'Netscape/4.0',
        previousSessionSecret: secret,
        knownUsers: [],
      },
    ])
  })

  test.each([
    ['unsigned', `gatehouse_social=social.${first}`],
    ['signed with another key', cookie('gatehouse_social', `social.${first}`, 'another key')],
    ['with the secret of a session', cookie('gatehouse_social', secret)],
    ['with a malformed secret', socialCookie('short', `${first}x`, '')],
  ])('is not bound to the browser by a cookie %s', async (_, header) => {
    const { get, asked } = await browser(succeeding())
    await get('/auth/callback/google?code=c&state=s', { cookie: header })
    expect(asked('finishSocialLogin')).toMatchObject([{ browserSecrets: [] }])
  })

  test('is bound by at most three secrets', async () => {
    const { get, asked } = await browser(succeeding())
    await get('/auth/callback/google', { cookie: socialCookie(first, second, third, fourth) })
    expect(asked('finishSocialLogin')).toMatchObject([{ browserSecrets: [first, second, third] }])
  })

  test('gives the browser its session and leads to return_to if it succeeds', async () => {
    const path = authorizePath({ state: 'a&b=//c' })
    const { get } = await browser(succeeding(path))
    const answer = await get('/auth/callback/google?code=c&state=s')
    expect([answer.status, locationOf(answer), answer.headers['cache-control']]).toEqual([
      302,
      path,
      'no-store',
    ])
    const names = cookiesOf(answer).map(({ name }) => name)
    expect(names.sort()).toEqual(['gatehouse_known', 'gatehouse_session'])
    const { get: rootComesBack } = await browser(succeeding('', root))
    expect(locationOf(await rootComesBack('/auth/callback/google'))).toBe('/admin')
  })

  test('is neither begun nor ended by HEAD or POST', async () => {
    const { send, post, asked } = await browser()
    for (const path of ['/auth/login/google', '/auth/callback/google?code=c&state=s']) {
      expect((await send('HEAD', path)).status).toBe(405)
      expect((await post(path, {})).status).toBe(405)
    }
    expect([...asked('beginSocialLogin'), ...asked('finishSocialLogin')]).toEqual([])
  })
})

describe.each(['/auth/login', '/auth/callback'])('%s', (path) => {
  test.each(['okta', 'auth0'])('answers 503 for %s by design', async (provider) => {
    const { send, get, calls } = await browser()
    const answer = await send('GET', `${path}/${provider}`)
    expect([answer.status, errorOf(answer)]).toEqual([503, 'temporarily_unavailable'])
    const page = await get(`${path}/${provider}`)
    expect([page.status, pageErrorOf(page)]).toEqual([503, 'temporarily_unavailable'])
    expect(page.text).toMatch(/(Okta|Auth0) is not available here/)
    expect(calls).toEqual([])
  })

  test.each(['facebook', 'constructor', '__proto__', 'GOOGLE', 'google%2F', '%00', 'x'.repeat(90)])(
    'answers 404 for %s, which is unknown',
    async (provider) => {
      const { send, get, calls } = await browser()
      const answer = await send('GET', `${path}/${provider}`)
      expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
      expect(pageErrorOf(await get(`${path}/${provider}`))).toBe('not_found')
      expect(calls).toEqual([])
    },
  )

  test('answers 400 for a provider that is not configured, with that reason', async () => {
    const refuse = refusing('invalid_request', 'Logging in through google is not configured on this server.')
    const changes = { identity: { beginSocialLogin: refuse, finishSocialLogin: refuse } }
    const { send, get } = await browser(changes)
    const answer = await send('GET', `${path}/google`)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain('not configured')
    const page = await get(`${path}/google`)
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(page.text).toContain('Google is not set up here')
  })

  test('answers 503 while the identity service is away', async () => {
    const away = refusing('temporarily_unavailable')
    const { get } = await browser({ identity: { beginSocialLogin: away, finishSocialLogin: away } })
    const page = await get(`${path}/google`)
    expect([page.status, pageErrorOf(page)]).toEqual([503, 'temporarily_unavailable'])
    expect(page.text).not.toContain('Google')
  })
})

describe('the page of a login that failed', () => {
  const problems: [name: string, kind: Kind, status: number, code: string, words: string][] = [
    ['is over', Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN, 400, 'invalid_request', 'This login has ended'],
    [
      'was denied',
      Kind.SOCIAL_LOGIN_PROBLEM_KIND_DENIED,
      403,
      'access_denied',
      'GitHub says that the login was cancelled',
    ],
    [
      'found nobody',
      Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNREACHABLE,
      503,
      'temporarily_unavailable',
      'GitHub does not answer',
    ],
    [
      'got a bad answer',
      Kind.SOCIAL_LOGIN_PROBLEM_KIND_BAD_ANSWER,
      400,
      'invalid_request',
      'cannot be trusted',
    ],
    [
      'is of a disabled user',
      Kind.SOCIAL_LOGIN_PROBLEM_KIND_DISABLED,
      403,
      'access_denied',
      'Your account here is disabled',
    ],
    [
      'nobody can explain',
      Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNSPECIFIED,
      400,
      'invalid_request',
      'cannot be trusted',
    ],
  ]
  test.each(problems)(
    'that %s shows that, and leads back to the login',
    async (_, kind, status, code, words) => {
      const { get, send } = await browser(failing(kind, '/oauth/authorize?a=b&c'))
      const page = await get('/auth/callback/github?code=the-code&state=the-state')
      expect([page.status, pageErrorOf(page)]).toEqual([status, code])
      expect(page.text).toContain(words)
      expect(page.text).toContain('href="/auth/login?return_to=%2Foauth%2Fauthorize%3Fa%3Db%26c"')
      expect(page.text).not.toMatch(/the-code|the-state/)
      expect(page.headers['cache-control']).toBe('no-store')
      expect(cookiesOf(page)).toEqual([])
      const answer = await send('GET', '/auth/callback/github')
      expect([answer.status, errorOf(answer)]).toEqual([status, code])
    },
  )

  test('leads to the login page if return_to is unknown', async () => {
    const { get } = await browser(failing(Kind.SOCIAL_LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN))
    expect((await get('/auth/callback/github')).text).toContain(
      '<a href="/auth/login">Go to the login page</a>',
    )
  })

  test('is shown at the beginning too if the provider does not answer, and no cookie is set', async () => {
    const nowhere = { browserSecret: first, expiresIn: 600 }
    const { get } = await browser({ identity: { beginSocialLogin: async () => nowhere } })
    const page = await get('/auth/login/google?return_to=/account')
    expect([page.status, pageErrorOf(page), page.headers['retry-after']]).toEqual([
      503,
      'temporarily_unavailable',
      '10',
    ])
    expect(page.text).toContain('Google does not answer')
    expect(page.text).toContain('href="/auth/login?return_to=%2Faccount"')
    expect(cookiesOf(page)).toEqual([])
  })
})

test('the code and the state of a callback are not logged', async () => {
  const { get, lines } = await browser(failing(Kind.SOCIAL_LOGIN_PROBLEM_KIND_BAD_ANSWER))
  await get('/auth/callback/google?code=the-code&state=the-state')
  const text = JSON.stringify(lines)
  expect(text).toContain('/auth/callback/:provider')
  expect(text).not.toMatch(/the-code|the-state/)
})
