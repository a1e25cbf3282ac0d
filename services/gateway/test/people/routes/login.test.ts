import type { NewSession } from '@gatehouse/proto/identity/v1'
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
  session,
} from '../../../testing/browser.ts'
import { type Changes, errorOf, gateway, nextStep, pending } from '../../../testing/gateway.ts'

const expiresAt = new Date('2030-01-01T22:00:00Z')
const form = { username: 'ann', password: 'correct horse' }

/** Services where every login succeeds. */
const succeeding = (user = ann): Changes => ({
  identity: {
    logIn: async () => ({
      outcome: { $case: 'session', value: newSession(user, { expiresAt }) },
    }),
  },
})

const throttling = (retryAfterSeconds: number): Changes => ({
  identity: { logIn: async () => ({ outcome: { $case: 'throttled', value: { retryAfterSeconds } } }) },
})

describe('a login', () => {
  test('calls the identity service with all that it needs', async () => {
    const { post, asked } = await browser()
    await post('/auth/login', form, { 'user-agent': 'Netscape/4.0' })
    expect(asked('logIn')).toEqual([
      {
        username: 'ann',
        password: 'correct horse',
        ipAddress: '127.0.0.1',
        knownBrowser: false,
        knownUsers: [],
        userAgent: 'Netscape/4.0',
      },
    ])
  })

  test('for an empty client_id is for no client', async () => {
    const { post, asked } = await browser()
    await post('/auth/login', { ...form, client_id: '' })
    await post('/auth/passkey', { passkey: '{}', client_id: '' })
    expect([...asked('logIn'), ...asked('logInWithPasskey')]).toMatchObject([
      { clientId: undefined },
      { clientId: undefined },
    ])
  })

  test('that succeeds sets a cookie that scripts cannot read, other sites do not send, and that expires with the session', async () => {
    const { post } = await browser(succeeding())
    const answer = await post('/auth/login', form)
    expect([answer.status, answer.headers['cache-control']]).toEqual([303, 'no-store'])
    const [session] = cookiesOf(answer).filter(({ name }) => name === 'gatehouse_session')
    expect(decodeURIComponent(session?.pair ?? '')).toBe(
      decodeURIComponent(cookie('gatehouse_session', secret)),
    )
    expect(session?.attributes.sort()).toEqual([
      `Expires=${expiresAt.toUTCString()}`,
      'HttpOnly',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ])
  })

  test('over http sets cookies without Secure', async () => {
    const { send } = await gateway({ ...succeeding(), issuer: 'http://localhost:8080' })
    const cookies = cookiesOf(await send('POST', '/auth/login', 'username=ann&password=x'))
    expect(cookies).toHaveLength(2)
    for (const { attributes } of cookies) {
      expect(attributes).not.toContain('Secure')
      expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Lax']))
    }
  })

  test('ends the browser’s previous session', async () => {
    const { post, asked } = await browser({}, ann)
    await post('/auth/login', form)
    expect(asked('logIn')).toMatchObject([{ previousSessionSecret: secret }])
  })

  test.each([
    ['an administrator', root, '/admin'],
    ['any other user', ann, '/account'],
  ])('without return_to leads %s to their own page', async (_, user, place) => {
    const { post } = await browser(succeeding(user))
    for (const returnTo of [
      '',
      '//evil.example',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      expect(locationOf(await post('/auth/login', { ...form, return_to: returnTo }))).toBe(place)
    }
  })

  test.each(['/account?done=app', authorizePath({ state: 'a&b=//c' })])('leads to %s', async (path) => {
    const { post } = await browser(succeeding(root))
    expect(locationOf(await post('/auth/login', { ...form, return_to: path }))).toBe(path)
  })
})

describe('a login for an authorization request', () => {
  const returnTo = `/oauth/continue?flow=${pending.flowId}`
  const forApp = { ...form, return_to: returnTo, client_id: 'client_a' }
  const begun = (changes: Partial<NewSession> = {}): NonNullable<Changes['identity']> => ({
    logIn: async () => ({
      outcome: {
        $case: 'session',
        value: newSession(ann, { session: { ...session, consentedScope: 'read' }, ...changes }),
      },
    }),
  })

  test('redirects to the client with its answer at once', async () => {
    const { post, asked } = await browser({ identity: begun() })
    const answer = await post('/auth/login', forApp)
    expect([answer.status, locationOf(answer)]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/app\.example\/cb\?code=the-code&/),
    ])
    expect(cookiesOf(answer).map(({ name }) => name)).toContain('gatehouse_session')
    expect(asked('logIn')).toMatchObject([{ clientId: 'client_a' }])
    expect(asked('continueAuthorization')).toEqual([
      {
        flowId: pending.flowId,
        decision: 0,
        accountChosen: false,
        afterForm: true,
        user: {
          userId: 'user-1',
          username: 'ann',
          seenAt: session.seenAt,
          sessionId: session.sessionId,
          sessionEndsAt: session.expiresAt,
          authenticatedAt: session.authenticatedAt,
          methods: ['pwd'],
          consented: { clientId: 'client_a', scope: 'read' },
        },
      },
    ])
    expect(asked('getSession')).toEqual([])
  })

  test('redirects to the page that asks for consent if it is needed, so that a reload sends no password', async () => {
    const continueAuthorization = async () => nextStep('askConsent')
    const changes = { identity: begun(), tokens: { continueAuthorization } }
    const { post } = await browser(changes)
    const answer = await post('/auth/login', forApp)
    expect([answer.status, locationOf(answer), answer.text]).toEqual([303, returnTo, ''])
    expect(cookiesOf(answer).map(({ name }) => name)).toContain('gatehouse_session')
    const { get } = await browser(changes, ann)
    const page = await get(returnTo)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1><bdi>Acme</bdi> ')])
  })

  test('logs the user in even if the request has expired', async () => {
    const continueAuthorization = refusing('invalid_request', 'This page was answered already.')
    const { post } = await browser({ identity: begun(), tokens: { continueAuthorization } })
    const page = await post('/auth/login', forApp)
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(cookiesOf(page).map(({ name }) => name)).toContain('gatehouse_session')
  })

  test('shows the page for this app again if it fails', async () => {
    const { post } = await browser()
    const page = await post('/auth/login', forApp)
    expect([page.status, page.text]).toEqual([
      401,
      expect.stringContaining('<strong><bdi>Acme</bdi></strong>'),
    ])
    expect(page.text).toContain(`name="return_to" value="${returnTo}"`)
    expect(page.text).toContain('name="client_id" value="client_a"')
  })
})

describe('a login that fails', () => {
  test('shows an error on the page, which keeps the user name and return_to, and never the password', async () => {
    const { post } = await browser()
    const page = await post('/auth/login', { ...form, return_to: '/account?a=b&c' })
    expect(page.status).toBe(401)
    expect(page.text).toMatch(/role="alert">The user name or the password is wrong/)
    expect(page.text).toContain('name="username" type="text"')
    expect(page.text).toContain('value="ann"')
    expect(page.text).toContain('name="return_to" value="/account?a=b&amp;c"')
    expect(page.text).not.toContain('correct horse')
    expect(page.headers['set-cookie']).toBeUndefined()
  })

  test('is an error for a program', async () => {
    const { send } = await gateway()
    const answer = await send('POST', '/auth/login', 'username=ann&password=wrong')
    expect([answer.status, errorOf(answer)]).toEqual([401, 'login_required'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test.each([{ username: 'ann' }, { password: 'x' }, { username: '', password: '' }, {}])(
    'for lack of a name or password is not passed to the identity service: %j',
    async (incomplete) => {
      const { post, asked } = await browser()
      const page = await post('/auth/login', incomplete as Record<string, string>)
      expect(page.status).toBe(401)
      expect(page.text).toContain('Enter your user name and your password.')
      expect(asked('logIn')).toEqual([])
    },
  )

  test.each([
    [1, '1', 'a minute'],
    [61, '61', '2 minutes'],
    [900, '900', '15 minutes'],
    [0, '1', 'a minute'],
  ])('too often, with %i s to wait, is 429 with Retry-After %s: in %s', async (seconds, header, words) => {
    const { post, send } = await browser(throttling(seconds))
    const page = await post('/auth/login', { ...form, return_to: '/admin' })
    expect([page.status, page.headers['retry-after']]).toEqual([429, header])
    expect(page.text).toContain(`Too many failed logins. Please try again later, in ${words}.`)
    expect(page.text).toContain('name="return_to" value="/admin"')
    const answer = await send('POST', '/auth/login', 'username=ann&password=x')
    expect([answer.status, answer.headers['retry-after'], errorOf(answer)]).toEqual([
      429,
      header,
      'rate_limit_exceeded',
    ])
  })

  test('is refused unread if the password has a megabyte', async () => {
    const { post, asked } = await browser()
    const page = await post('/auth/login', { username: 'ann', password: 'x'.repeat(1_000_000) })
    expect(page.status).toBe(413)
    expect(asked('logIn')).toEqual([])
  })

  test('is logged with its outcome, and without name and password', async () => {
    const { post, lines } = await browser()
    await post('/auth/login', { username: 'hunter1', password: 'hunter2', return_to: '/hunter3' })
    expect(lines).toMatchObject([{ route: '/auth/login', status: 401, outcome: 'login_required' }])
    expect(JSON.stringify(lines)).not.toContain('hunter')
  })
})

describe('the login page', () => {
  test('shows who is logged in already, and keeps only a path of this server in return_to', async () => {
    const { get } = await browser({}, ann)
    const page = await get('/auth/login?return_to=%2F%2Fevil.example')
    expect(page.status).toBe(200)
    expect(page.text).toContain('logged in as <strong><bdi>ann</bdi></strong>')
    expect(page.text).not.toMatch(/evil|return_to/)
  })

  test('accepts only one return_to', async () => {
    const { get } = await browser()
    expect((await get('/auth/login?return_to=%2Fa&return_to=%2Fb')).status).toBe(400)
  })
})
