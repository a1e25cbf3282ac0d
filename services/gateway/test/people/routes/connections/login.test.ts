import type { FinishLoginResponse, LoginTest } from '@gatehouse/proto/connection/v1'
import { LoginProblemKind as Kind } from '@gatehouse/proto/connection/v1'
import { languageTags } from '@gatehouse/proto/people/languages'
import { LoginReason } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  cookie,
  cookiesOf,
  locationOf,
  memberSession,
  membersOnly,
  newSession,
  organizationLogin,
  pageErrorOf,
  secret,
} from '../../../../testing/browser.ts'
import { type Changes, errorOf, pending } from '../../../../testing/gateway.ts'

const { connectionId, organizationId } = organizationLogin
const login = `/auth/login/${connectionId}`
const callback = `/auth/callback/${connectionId}`
const flow = `/oauth/continue?flow=${pending.flowId}`
const begun = {
  authorizationUrl: 'https://idp.example/authorize?state=s',
  ...{ browserSecret: 'b'.repeat(43), expiresIn: 600 },
}
const begin: NonNullable<Changes['connectionService']> = {
  beginLogin: async () => ({ outcome: { $case: 'begun', value: begun }, name: 'Acme' }),
}
const opened = (
  service: NonNullable<Changes['connectionService']> = begin,
  more: Changes = {},
  user?: typeof ann,
) => browser({ organizations: true, ...more, connectionService: service }, user)
const finishing = (
  outcome: FinishLoginResponse['outcome'],
  returnTo?: string,
  more: Changes = {},
  user?: typeof ann,
) => opened({ ...begin, finishLogin: async () => ({ outcome, returnTo, name: 'Acme <i>' }) }, more, user)
const problem = (kind: Kind) => ({ $case: 'problem' as const, value: { kind } })
const memberLogin = {
  $case: 'login' as const,
  value: {
    session: newSession(ann, { session: memberSession }),
    ...{ created: false, organizationId, organizationSlug: 'acme' },
  },
}

/** The problems that logins through social providers do not have. */
const explained = [
  Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION,
  Kind.LOGIN_PROBLEM_KIND_NOT_INVITED,
  Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT,
  Kind.LOGIN_PROBLEM_KIND_NO_MEMBER,
  Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER,
  Kind.LOGIN_PROBLEM_KIND_SESSION,
  Kind.LOGIN_PROBLEM_KIND_FULL,
]

describe('a login through a connection', () => {
  test('is as an unknown provider where organizations are off', async () => {
    const off = await browser({ connectionService: begin })
    const unknown = await off.get('/auth/login/elsewhere')
    for (const path of [login, callback]) {
      const answer = await off.get(path)
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
    }
    expect(off.calls).toEqual([])
  })

  test('begins with a redirect to the provider and a cookie of this browser', async () => {
    const { get, asked } = await opened()
    const answer = await get(`${login}?return_to=%2Faccount`)
    expect([answer.status, locationOf(answer)]).toEqual([302, begun.authorizationUrl])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(asked('beginLogin')).toMatchObject([
      { connectionId, returnTo: '/account', again: false, purpose: 0, ipAddress: '127.0.0.1' },
    ])
    expect(cookiesOf(answer)).toMatchObject([{ name: 'gatehouse_social' }])
  })

  test.each<[string, Record<string, string>]>([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another site in a browser that tells it in Referer only', { referer: 'https://evil.example/page' }],
  ])(
    'asks first, in each language, when a link of %s leads somebody there who is logged in',
    async (_, from) => {
      const offer = { connectionId, name: 'A<b>cme', organizationId, organizationName: 'Acme' }
      const getOffer = async () => ({ offer, takesByAddress: false })
      const { get, asked } = await opened({ ...begin, getOffer }, {}, ann)
      for (const language of languageTags) {
        const { status, text, headers } = await get(`${login}?return_to=%2Faccount`, {
          ...from,
          'accept-language': language,
        })
        expect([status, headers.location, headers['set-cookie']]).toEqual([200, undefined, undefined])
        expect(text).toContain(`href="${login}?return_to=%2Faccount"`)
        expect(text).toContain('<strong><bdi>ann</bdi></strong>')
        expect(text).toContain('<bdi>A&lt;b&gt;cme</bdi>')
      }
      expect(asked('beginLogin')).toEqual([])
      const member = await opened({ ...begin, getOffer }, { identity: membersOnly }, ann)
      expect((await member.get(login, from)).text).toContain(
        `href="/account/organizations/${organizationId}"`,
      )
      const closed = await opened(begin, {}, ann)
      expect((await closed.get(login, from)).status).toBe(404)
    },
  )

  test('begins at once for strangers, wherever they come from, and for those who come from here', async () => {
    const stranger = await opened()
    for (const site of ['cross-site', 'same-origin', 'none'])
      expect(locationOf(await stranger.get(login, { 'sec-fetch-site': site }))).toBe(begun.authorizationUrl)
    const known = await opened(begin, {}, ann)
    for (const site of ['same-origin', 'none'])
      expect(locationOf(await known.get(login, { 'sec-fetch-site': site }))).toBe(begun.authorizationUrl)
  })

  test('asks the provider for what the client demands, whatever the browser sends', async () => {
    const returnTo = encodeURIComponent(flow)
    const asking = async (changes: object) => {
      const getAuthorization = async () => ({ authorization: { ...pending, ...changes } })
      const { get, asked } = await opened(begin, { tokens: { getAuthorization } })
      await get(`${login}?return_to=${returnTo}`)
      return asked('beginLogin')
    }
    expect(await asking({})).toMatchObject([{ again: false }])
    expect(await asking({ loginReason: LoginReason.LOGIN_REASON_AGAIN })).toMatchObject([{ again: true }])
    expect(await asking({ promptLogin: true })).toMatchObject([{ again: true }])
    expect(await asking({ maxAge: 60, loginHint: 'ann@acme.example' })).toMatchObject([
      { again: false, maxAge: 60, loginHint: 'ann@acme.example' },
    ])
    const { get, asked } = await opened()
    await get(`${login}?again=yes`)
    expect(asked('beginLogin')).toMatchObject([{ again: true }])
  })

  test('for an organization gives the browser its session and leads to its pages, and makes nobody known', async () => {
    const { get, asked } = await finishing(memberLogin)
    const query = 'code=a%20b&state=s'
    const answer = await get(`${callback}?${query}`, { cookie: cookie('gatehouse_session', secret) })
    expect([answer.status, locationOf(answer)]).toEqual([302, `/account/organizations/${organizationId}`])
    expect(cookiesOf(answer).map(({ name }) => name)).toEqual(['gatehouse_session'])
    expect(asked('finishLogin')).toMatchObject([{ connectionId, query, previousSessionSecret: secret }])
    const waiting = await finishing(memberLogin, flow)
    expect(locationOf(await waiting.get(callback))).toBe(flow)
    const evil = await finishing(memberLogin, '//evil.example')
    expect(locationOf(await evil.get(callback))).toBe(`/account/organizations/${organizationId}`)
  })

  test('for the instance leads to the account, or to the second factor', async () => {
    const value = { session: newSession(), created: false }
    const { get } = await finishing({ $case: 'login', value })
    const answer = await get(callback)
    expect(locationOf(answer)).toBe('/account')
    expect(cookiesOf(answer).map(({ name }) => name)).toEqual(['gatehouse_session', 'gatehouse_known'])
    const waiting = await finishing({ $case: 'pending', value: { secret, expiresAt: undefined } }, '/account')
    expect(locationOf(await waiting.get(callback))).toBe('/auth/second-factor?return_to=%2Faccount')
  })

  test.each([
    [Kind.LOGIN_PROBLEM_KIND_UNKNOWN_LOGIN, 400, 'invalid_request'],
    [Kind.LOGIN_PROBLEM_KIND_DENIED, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_UNREACHABLE, 503, 'temporarily_unavailable'],
    [Kind.LOGIN_PROBLEM_KIND_BAD_ANSWER, 400, 'invalid_request'],
    [Kind.LOGIN_PROBLEM_KIND_DISABLED, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION, 404, 'not_found'],
    [Kind.LOGIN_PROBLEM_KIND_NOT_INVITED, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_NO_MEMBER, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_LINKED_TO_OTHER, 403, 'access_denied'],
    [Kind.LOGIN_PROBLEM_KIND_SESSION, 401, 'login_required'],
    [Kind.LOGIN_PROBLEM_KIND_FULL, 403, 'access_denied'],
  ])('says why it failed: %i', async (kind, status, code) => {
    const { get, send } = await finishing(problem(kind))
    const page = await get(callback)
    expect([page.status, pageErrorOf(page)]).toEqual([status, code])
    expect(page.text).not.toContain('<i>')
    expect(cookiesOf(page)).toEqual([])
    const program = await send('GET', callback)
    expect([program.status, errorOf(program)]).toEqual([status, code])
  })

  test('explains each problem in each language, and begins to connect an account from there', async () => {
    for (const language of languageTags) {
      const headings = new Set<string>()
      for (const kind of explained) {
        const { get } = await finishing(problem(kind))
        const { text, headers } = await get(callback, { 'accept-language': language })
        expect(headers['content-language']).toBe(language)
        headings.add(/<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? '')
        if (kind === Kind.LOGIN_PROBLEM_KIND_HAS_ACCOUNT)
          expect(text).toContain(`/auth/login?return_to=%2Faccount%2Fconnections%2F${connectionId}`)
      }
      expect(headings.size).toBe(explained.length)
    }
  })

  test('answers alike for a connection that is unknown, one that is disabled, and what is no id', async () => {
    const missing = {
      beginLogin: async () => ({ outcome: problem(Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION), name: 'Acme' }),
    }
    const { get } = await opened(missing)
    const [disabled, other] = [await get(login), await get('/auth/login/con_1')]
    expect([disabled.status, disabled.text]).toEqual([404, other.text])
    expect(disabled.text).toContain('<a href="/auth/login">Continue</a>')
  })
})

describe('a test of a connection', () => {
  const back = '/account/organizations/x/connections/y'
  const begins = `${login}?test=yes&return_to=${encodeURIComponent(back)}`
  const tested: LoginTest = {
    ...{ claims: { sub: 'someone' }, problem: undefined, wouldCreate: false, username: 'ann' },
    ...{ attributes: undefined, groups: [], roles: [], remarks: [] },
  }

  test('needs a session, and any will do', async () => {
    const stranger = await opened()
    expect(locationOf(await stranger.get(begins))).toBe(`/auth/login?return_to=${encodeURIComponent(begins)}`)
    const { get, asked } = await opened(begin, { identity: membersOnly }, ann)
    expect(locationOf(await get(begins))).toBe(begun.authorizationUrl)
    expect(asked('beginLogin')).toMatchObject([
      { purpose: 2, sessionSecret: secret, returnTo: `${begins}&begun=yes`, ipAddress: '127.0.0.1' },
    ])
  })

  test('is not there for those who may not try it, as for an unknown id', async () => {
    const refused = (kind: Kind) => ({ beginLogin: async () => ({ outcome: problem(kind), name: 'Acme' }) })
    const { text: unknown } = await (await opened({}, {}, ann)).get('/auth/login/con_1')
    for (const kind of [Kind.LOGIN_PROBLEM_KIND_SESSION, Kind.LOGIN_PROBLEM_KIND_NO_CONNECTION]) {
      const answer = await (await opened(refused(kind), {}, ann)).get(begins)
      expect([answer.status, answer.text]).toEqual([404, unknown])
    }
    const failed = await (await opened(refused(Kind.LOGIN_PROBLEM_KIND_UNREACHABLE), {}, ann)).get(begins)
    expect([failed.status, failed.text.includes('Acme')]).toEqual([200, true])
  })

  test('shows its page for no login, wherever the login returns to', async () => {
    const { get, asked } = await opened()
    await get(`${login}?return_to=${encodeURIComponent(`${begins}&begun=yes`)}`)
    await get(`${login}?return_to=${encodeURIComponent(begins)}`)
    expect(asked('beginLogin')).toMatchObject([{ returnTo: undefined }, { returnTo: begins }])
    const failed = await finishing(problem(Kind.LOGIN_PROBLEM_KIND_DENIED), begins)
    expect((await failed.get(callback)).status).toBe(403)
  })

  test('shows what came, or why nothing did, and logs nobody in', async () => {
    const result = await finishing(
      { $case: 'test', value: tested },
      `${begins}&begun=yes`,
      { identity: membersOnly },
      ann,
    )
    const shown = await result.get(callback)
    expect([shown.status, cookiesOf(shown)]).toEqual([200, []])
    expect(shown.text).toContain('someone')
    expect(shown.text).toContain(`href="${back}"`)
    const failed = await finishing(
      problem(Kind.LOGIN_PROBLEM_KIND_DENIED),
      `${begins}&begun=yes`,
      { identity: membersOnly },
      ann,
    )
    const { status, text } = await failed.get(callback)
    expect(status).toBe(200)
    expect(text).toContain(`href="${back}"`)
  })
})
