import type { ErrorCode } from '@gatehouse/proto/errors'
import { describe, expect, test } from 'vitest'
import { createQuestions } from '../../../src/people/pages/questions.ts'
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
  session,
} from '../../../testing/browser.ts'
import {
  type Changes,
  errorOf,
  gateway,
  nextResponse,
  nextStep,
  pending,
  sessionKey,
} from '../../../testing/gateway.ts'

const names = Object.keys(authorization) as (keyof typeof authorization)[]
const request = {
  responseType: 'code',
  clientId: 'client_a',
  redirectUri: 'https://app.example/cb',
  scope: 'read',
  codeChallenge: 'c'.repeat(43),
  codeChallengeMethod: 'S256',
  resources: [],
}

describe('checks that do not need the user', () => {
  test('the token service gets the request as it was sent', async () => {
    const { send, asked } = await gateway()
    await send('GET', authorizePath())
    await send('GET', '/oauth/authorize?client_id=&unknown=x')
    const rest = { user: undefined, dryRun: false, ipAddress: '127.0.0.1' }
    expect(asked('beginAuthorization')).toEqual([
      { request: { ...request, openid: {} }, state: 'the-state', ...rest },
      { request: { openid: {}, resources: [] }, state: undefined, ...rest },
    ])
  })

  test.each(names)('a repeated %s is invalid_request, and no service is called', async (name) => {
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
    '%s is JSON for a program and a page for a person, and never goes to the redirect URI',
    async (code, status) => {
      const beginAuthorization = refusing(code, 'The parameter x is <missing>.')
      const { get, send } = await browser({ tokens: { beginAuthorization } }, ann)
      const page = await get(authorizePath())
      expect([page.status, pageErrorOf(page)]).toEqual([status, code])
      expect(page.text).toContain('The parameter x is &lt;missing&gt;.')
      for (const other of [undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5']) {
        const answer = await send('GET', authorizePath(), undefined, other ? { accept: other } : {})
        expect([answer.status, errorOf(answer)]).toEqual([status, code])
        expect(answer.headers.location).toBeUndefined()
      }
      expect(page.headers.location).toBeUndefined()
    },
  )

  test.each(['state=%zz', 'state=%ff', 'state=a%00b'])('%s is malformed', async (query) => {
    const { send, calls } = await gateway()
    const answer = await send('GET', `/oauth/authorize?${query}`)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(calls).toEqual([])
  })

  test.each([
    ['nobody is logged in', undefined, 302, nextStep('logIn')],
    ['the user would be asked', ann, 200, nextStep('askConsent')],
    ['the user has agreed', ann, 302, nextResponse()],
  ])('HEAD has the status of GET and issues nothing: %s', async (_, user, status, step) => {
    const { send, get, asked } = await browser({ tokens: { beginAuthorization: async () => step } }, user)
    const headers = user && { cookie: cookie('gatehouse_session', secret) }
    expect((await get(authorizePath())).status).toBe(status)
    const answer = await send('HEAD', authorizePath(), undefined, { accept, ...headers })
    expect([answer.status, answer.text]).toEqual([status, ''])
    expect(asked('beginAuthorization')).toMatchObject([{ dryRun: false }, { dryRun: true }])
  })

  test('HEAD of an invalid request is refused like GET', async () => {
    const { send } = await browser()
    expect((await send('HEAD', '/oauth/authorize?state=%zz')).status).toBe(400)
  })
})

const loginPath = `/auth/login?return_to=${encodeURIComponent(`/oauth/continue?flow=${pending.flowId}`)}`
const { flowId } = pending

describe('without a session', () => {
  test('the login page gets the id of the request, and nothing else of it', async () => {
    const { get } = await browser()
    const answer = await get(authorizePath())
    expect([answer.status, locationOf(answer)]).toEqual([302, loginPath])
    const page = await get(loginPath)
    expect(page.text).toContain(`name="return_to" value="/oauth/continue?flow=${flowId}"`)
    expect(page.text).toContain('name="client_id" value="client_a"')
    expect(page.text).toContain('to continue to <strong><bdi>Acme</bdi></strong>')
  })

  test.each(['plain', 'a+b', '100%', 'a&b=c', 'a#b', '//evil', 'a\\b', 'ü 😀', '"<>', 'x'.repeat(8_000)])(
    'the token service keeps the state as it is: %j',
    async (state) => {
      const { get, asked } = await browser()
      await get(authorizePath({ state }))
      expect(asked('beginAuthorization')).toMatchObject([{ state }])
    },
  )

  test.each([
    ['with a backslash that is not encoded', authorizePath().replace('the-state', 'a\\b')],
    ['with an encoded letter in the path', authorizePath().replace('authorize', '%61uthorize')],
    ['with a whole address in the request line', `https://auth.example${authorizePath()}`],
  ])('a request written %s leads to the login page too', async (_, url) => {
    const { get } = await browser()
    expect(locationOf(await get(url))).toBe(loginPath)
  })
})

describe('the consent page', () => {
  test('asks the user of the session for the scope that the token service names', async () => {
    const { get, asked } = await browser({}, ann)
    const page = await get(authorizePath({ scope: undefined }))
    expect(page.text).toMatch(/<h1><bdi>Acme<\/bdi> /)
    const [, text = ''] = /name="question" value="([^"]+)"/.exec(page.text) ?? []
    expect(createQuestions('consent', sessionKey, Date.now).read(text)).toEqual({
      flowId,
      sessionId: 'session-1',
      clientName: 'Acme',
      clientId: 'client_a',
      scope: 'read',
    })
    expect(page.text).toContain('logged in as <strong><bdi>ann</bdi></strong>')
    expect(page.text).toContain('<li>Read your data</li>')
    expect(page.text).toContain('you go back to <strong><bdi>app.example</bdi></strong>')
    expect(asked('getSession')).toEqual([{ sessionSecret: secret, clientId: 'client_a' }])
    expect(asked('grantConsent')).toEqual([])
  })

  test.each(['', undefined])('asks for no consent of a client if client_id is %j', async (client_id) => {
    const { get, asked } = await browser({}, ann)
    await get(authorizePath({ client_id }))
    expect(asked('getSession')).toMatchObject([{ clientId: undefined }])
  })

  test.each([
    ['https://app.example:8443/cb', 'app.example:8443'],
    ['http://127.0.0.1:5000/cb', '127.0.0.1:5000'],
    ['com.example.app:/cb', 'the app com.example.app'],
    ['com.evil.app://bank.example/cb', 'the app com.evil.app'],
    ['https://b%C3%BCcher.example/cb', 'xn--bcher-kva.example'],
  ])('names the destination of a redirect to %s as %s', async (redirectUri, destination) => {
    const { get } = await browser({}, ann)
    const page = await get(authorizePath({ redirect_uri: redirectUri }))
    expect(page.text).toContain(`you go back to <strong><bdi>${destination}</bdi></strong>`)
  })

  test('shows the name of a scope that has no description', async () => {
    const beginAuthorization = async () => nextStep('askConsent', { scope: 'email constructor' })
    const { get } = await browser({ tokens: { beginAuthorization } }, ann)
    const { text } = await get(authorizePath())
    expect(text).toContain('<li>See your e-mail address</li>')
    expect(text).toContain('<li>Use “constructor”</li>')
  })

  describe('speaks only of what the user has:', () => {
    const words = async (attributes: Record<string, unknown> | undefined, scope = 'email profile') => {
      const names = attributes && Object.keys(attributes)
      const getSession = async () => ({ session: { ...session, attributes: names && { names } } })
      const beginAuthorization = async () => nextStep('askConsent', { scope })
      const { get } = await browser({ identity: { getSession }, tokens: { beginAuthorization } }, ann)
      const { text } = await get(authorizePath())
      const list = /<ul class="scopes">(.*?)<\/ul>/s.exec(text)?.[1] ?? ''
      return { list }
    }

    test('a user with an address and a name', async () => {
      const { list } = await words({ email: 'ann@example.com', email_verified: false, name: 'Ann' })
      expect(list).toContain('<li>See your e-mail address</li>')
      expect(list).toContain('<li>See your name and profile</li>')
    })

    test('a user without them, whose consent also counts for what they add later', async () => {
      const { list } = await words({ email_verified: false })
      expect(list).toContain('<li>See your e-mail address, once you have one here</li>')
      expect(list).toContain('<li>See your user name, and your profile once you fill it in</li>')
    })

    test('while it is not known, it speaks as to anybody', async () => {
      expect((await words(undefined)).list).toContain('<li>See your e-mail address</li>')
    })
  })
})

describe('the user’s consent to the client', () => {
  const consentOf = async (identity: NonNullable<Changes['identity']>) => {
    const { get, asked } = await browser({ identity }, ann)
    await get(authorizePath())
    return asked('beginAuthorization')
  }

  test('is passed to the token service, with the client', async () => {
    const getSession = async () => ({ session: { ...session, consentedScope: 'read write' } })
    expect(await consentOf({ getSession })).toMatchObject([
      {
        user: {
          userId: 'user-1',
          username: 'ann',
          seenAt: session.seenAt,
          consented: { clientId: 'client_a', scope: 'read write' },
        },
      },
    ])
  })

  test('is not assumed while the identity service is away', async () => {
    const getSession = refusing('temporarily_unavailable')
    const { get, asked } = await browser({ identity: { getSession } }, ann)
    const page = await get(authorizePath())
    expect([page.status, page.headers['retry-after']]).toEqual([503, '1'])
    expect(asked('beginAuthorization')).toEqual([])
  })
})

describe('GET /oauth/continue', () => {
  const path = `/oauth/continue?flow=${flowId}`

  test('continues the request for the user of the session', async () => {
    const { get, asked } = await browser({}, ann)
    const answer = await get(path)
    expect([answer.status, locationOf(answer)]).toEqual([302, expect.stringContaining('code=the-code')])
    expect(asked('getAuthorization')).toEqual([{ flowId }])
    expect(asked('continueAuthorization')).toMatchObject([
      { flowId, decision: 0, user: { userId: 'user-1' } },
    ])
  })

  test('leads to the login page without a session, and shows the consent page if consent is needed', async () => {
    expect(locationOf(await (await browser()).get(path))).toBe(loginPath)
    const continueAuthorization = async () => nextStep('askConsent')
    const page = await (await browser({ tokens: { continueAuthorization } }, ann)).get(path)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1><bdi>Acme</bdi> ')])
  })

  test.each(['', '?flow=', '?flow=x', `?flow=${flowId}`])(
    'tells the user what to do if the request is unknown: %j',
    async (query) => {
      const getAuthorization = async () => ({ authorization: undefined })
      const { get, asked } = await browser({ tokens: { getAuthorization } }, ann)
      for (const url of [`/oauth/continue${query}`, loginPath]) {
        const page = await get(url)
        expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
        expect(page.text).toContain('Go back to the app and start again')
      }
      expect(asked('continueAuthorization')).toEqual([])
    },
  )
})
