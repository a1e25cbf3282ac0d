import { Refusal } from '@gatehouse/kit/errors'
import type { ErrorCode } from '@gatehouse/proto/errors'
import { ConsentRule } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import { returnPath } from '../src/return-to.ts'
import {
  accept,
  ann,
  authorization,
  authorizePath,
  browser,
  cookie,
  locationOf,
  pageErrorOf,
  refusing,
  secret,
} from './browser.ts'
import { checked, errorOf, gateway } from './gateway.ts'

const names = Object.keys(authorization) as (keyof typeof authorization)[]
const request = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  codeChallenge: 'c'.repeat(43),
  codeChallengeMethod: 'S256',
}

describe('what can be judged without the user', () => {
  test('the request is judged as it was sent, what is absent being empty', async () => {
    const { send, asked } = await gateway()
    await send('GET', authorizePath())
    await send('GET', '/oauth/authorize?client_id=&unknown=x')
    const empty = Object.fromEntries(Object.keys(request).map((name) => [name, '']))
    expect(asked('checkAuthorizationRequest')).toEqual([request, empty])
  })

  test.each(names)('a repeated %s is invalid_request, and nobody is asked', async (name) => {
    const { send, calls } = await gateway()
    const url = `${authorizePath()}&${name}=again`
    const answer = await send('GET', url)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    const page = await send('GET', url, undefined, { accept })
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(page.text).toContain(`The parameter ${name} is repeated.`)
    for (const { headers } of [answer, page]) expect(headers.location).toBeUndefined()
    expect(calls).toEqual([])
  })

  test.each<[ErrorCode, number]>([
    ['invalid_request', 400],
    ['invalid_client', 401],
    ['unauthorized_client', 400],
    ['invalid_scope', 400],
    ['temporarily_unavailable', 503],
    ['server_error', 500],
  ])(
    '%s is told to a program as JSON and to a person as a page, before the session is looked at, and never at the redirect URI',
    async (code, status) => {
      const checkAuthorizationRequest = refusing(code, 'The parameter x is <missing>.')
      const { get, send, asked } = await browser({ tokens: { checkAuthorizationRequest } }, ann)
      const page = await get(authorizePath())
      expect([page.status, pageErrorOf(page)]).toEqual([status, code])
      expect(page.text).toContain('The parameter x is &lt;missing&gt;.')
      for (const other of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5']) {
        const answer = await send('GET', authorizePath(), undefined, other ? { accept: other } : {})
        expect([answer.status, errorOf(answer)]).toEqual([status, code])
        expect(answer.headers.location).toBeUndefined()
      }
      expect(page.headers.location).toBeUndefined()
      expect(asked('getSession')).toEqual([])
    },
  )

  test.each(['state=%zz', 'state=%ff', 'state=a%00b'])('%s is malformed', async (query) => {
    const { send, calls } = await gateway()
    const answer = await send('GET', `/oauth/authorize?${query}`)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(calls).toEqual([])
  })

  test.each([
    ['nobody is logged in', undefined, '', 302, 'getSession'],
    ['the user would be asked', ann, '', 200, 'getConsent'],
    ['the user has agreed', ann, 'read', 302, 'getConsent'],
  ])('HEAD has the status of GET and makes nothing: %s', async (_, user, scope, status, last) => {
    const { send, calls, get } = await browser({ identity: { getConsent: async () => ({ scope }) } }, user)
    const headers = user && { cookie: cookie('gatehouse_session', secret) }
    expect((await get(authorizePath())).status).toBe(status)
    calls.length = 0
    const answer = await send('HEAD', authorizePath(), undefined, { accept, ...headers })
    expect([answer.status, answer.text]).toEqual([status, ''])
    const made = ['askConsent', 'createAuthorizationCode']
    expect(calls.map(({ name }) => name).filter((name) => made.includes(name))).toEqual([])
    if (user) expect(calls.at(-1)?.name).toBe(last)
  })

  test('HEAD of a request that is not good is refused as GET is', async () => {
    const { send } = await browser()
    expect((await send('HEAD', '/oauth/authorize?state=%zz')).status).toBe(400)
  })
})

describe('without a session', () => {
  const states = ['plain', 'a+b', '100%', 'a&b=c', 'a#b', '//evil', 'a\\b', 'ü 😀', '"<>']

  test.each(states)('the whole request goes along to the login page: state %j', async (state) => {
    const { get, asked } = await browser()
    const answer = await get(authorizePath({ state }))
    expect(answer.status).toBe(302)
    const login = new URL(locationOf(answer), 'https://auth.example')
    expect([...login.searchParams.keys()]).toEqual(['return_to'])
    const path = returnPath(login.searchParams.get('return_to') ?? '')
    expect(path).toMatch(/^\/oauth\/authorize\?/)
    const kept = new URL(path ?? '', 'https://auth.example').searchParams
    expect(Object.fromEntries(kept)).toEqual({ ...authorization, state })
    expect(asked('createAuthorizationCode')).toEqual([])
  })

  test.each([
    ['with a backslash that is not encoded', authorizePath().replace('the-state', 'a\\b')],
    ['with an encoded letter in the path', authorizePath().replace('authorize', '%61uthorize')],
    ['with a whole address in the request line', `https://auth.example${authorizePath()}`],
  ])('a request that is written %s goes along as well', async (_, url) => {
    const { get } = await browser()
    const login = locationOf(await get(url))
    expect(login).toMatch(/^\/auth\/login\?return_to=%2Foauth%2Fauthorize%3F/)
    const page = await get(login)
    expect(page.text).toContain('name="return_to" value="/oauth/authorize?')
    expect(page.text).toContain('to continue to <strong>Acme</strong>')
  })
})

describe('whether the user is asked', () => {
  const {
    CONSENT_RULE_NOT_NEEDED,
    CONSENT_RULE_REMEMBERED,
    CONSENT_RULE_EACH_TIME,
    CONSENT_RULE_UNSPECIFIED,
  } = ConsentRule

  test.each([
    ['a first-party client is not asked about', CONSENT_RULE_NOT_NEEDED, '', 'read', false],
    ['the same scope was allowed', CONSENT_RULE_REMEMBERED, 'read', 'read', false],
    ['more was allowed', CONSENT_RULE_REMEMBERED, 'write email read', 'read write', false],
    ['nothing was allowed', CONSENT_RULE_REMEMBERED, '', 'read', true],
    ['less was allowed', CONSENT_RULE_REMEMBERED, 'read', 'read write', true],
    ['other words were allowed', CONSENT_RULE_REMEMBERED, 'write', 'read', true],
    ['a word was allowed that begins so', CONSENT_RULE_REMEMBERED, 'readonly', 'read', true],
    ['others can pass for the client', CONSENT_RULE_EACH_TIME, 'read', 'read', true],
    ['a newer token service has a rule that is not known here', 9 as ConsentRule, 'read', 'read', true],
    ['no rule is given', CONSENT_RULE_UNSPECIFIED, 'read', 'read', true],
  ])('%s', async (_, consent, allowed, scope, isAsked) => {
    const { get, asked } = await browser(
      {
        tokens: { checkAuthorizationRequest: async () => ({ ...checked, scope, consent }) },
        identity: { getConsent: async () => ({ scope: allowed }) },
      },
      ann,
    )
    const answer = await get(authorizePath({ scope }))
    expect([answer.status, asked('createAuthorizationCode').length, asked('askConsent').length]).toEqual(
      isAsked ? [200, 0, 1] : [302, 1, 0],
    )
    for (const one of asked('getConsent')) expect(one).toEqual({ userId: 'user-1', clientId: 'client_a' })
  })

  test('the question is kept for this session, with the request as it came', async () => {
    const { get, asked } = await browser({}, ann)
    const page = await get(authorizePath({ scope: undefined }))
    expect(page.text).toMatch(/<h1>Acme /)
    expect(asked('askConsent')).toEqual([
      {
        sessionId: 'session-1',
        clientId: 'client_a',
        scope: 'read',
        authorizationQuery: authorizePath({ scope: undefined }).split('?')[1],
      },
    ])
    expect(page.text).toContain('name="question" value="the-question"')
    expect(page.text).toContain('logged in as <strong>ann</strong>')
    expect(page.text).toContain('<li>Read your data</li>')
    expect(page.text).toContain('you go back to <strong>app.example</strong>')
  })

  test('a session that ends while the question is made is a reason to log in, not an error', async () => {
    const { get } = await browser(
      { identity: { askConsent: refusing('login_required', 'No session.') } },
      ann,
    )
    const answer = await get(authorizePath())
    const login = new URL(locationOf(answer), 'https://auth.example')
    expect([answer.status, login.pathname, login.searchParams.get('return_to')]).toEqual([
      302,
      '/auth/login',
      authorizePath(),
    ])
  })

  test.each([
    ['https://app.example:8443/cb', 'app.example:8443'],
    ['http://127.0.0.1:5000/cb', '127.0.0.1:5000'],
    ['com.example.app:/cb', 'the app com.example.app'],
    ['com.evil.app://bank.example/cb', 'the app com.evil.app'],
    ['https://b%C3%BCcher.example/cb', 'xn--bcher-kva.example'],
  ])('a redirect to %s is shown as %s', async (redirectUri, destination) => {
    const { get } = await browser({}, ann)
    const page = await get(authorizePath({ redirect_uri: redirectUri }))
    expect(page.text).toContain(`you go back to <strong>${destination}</strong>`)
  })

  test('a scope that has no words of ours is named', async () => {
    const checkAuthorizationRequest = async () => ({ ...checked, scope: 'email constructor' })
    const { get } = await browser({ tokens: { checkAuthorizationRequest } }, ann)
    const { text } = await get(authorizePath())
    expect(text).toContain('<li>See your e-mail address</li>')
    expect(text).toContain('<li>Use “constructor”</li>')
  })

  test('an identity service that is away is said, and no code is made', async () => {
    const getConsent = () => Promise.reject(new Refusal('temporarily_unavailable'))
    const { get, asked } = await browser({ identity: { getConsent } }, ann)
    const page = await get(authorizePath())
    expect([page.status, page.headers['retry-after']]).toEqual([503, '1'])
    expect(asked('createAuthorizationCode')).toEqual([])
  })
})
