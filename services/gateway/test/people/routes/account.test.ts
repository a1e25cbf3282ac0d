import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  cookiesOf,
  locationOf,
  pageErrorOf,
  refusing,
  secret,
  session,
} from '../../../testing/browser.ts'
import { client } from '../../../testing/gateway.ts'

const phone = {
  ...session,
  sessionId: 'session-2',
  userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
  ipAddress: '2001:db8::7',
}
const consents = [
  { clientId: 'client_a', scope: 'read email', grantedAt: new Date('2029-05-06T07:08:09Z') },
  { clientId: 'client_gone', scope: 'read', grantedAt: new Date('2029-05-06T07:08:09Z') },
]
const full = {
  identity: {
    listSessions: async () => ({ sessions: [session, phone] }),
    listConsents: async () => ({ consents }),
  },
  clientRegistry: { lookupClients: async () => ({ changed: [client], unknown: ['client_gone'] }) },
}
/** Every form that changes something, as a user sends it from `session-1`. */
const changes: [url: string, form: Record<string, string>][] = [
  ['/account/sessions/end', { session_id: phone.sessionId }],
  ['/account/apps/withdraw', { client_id: 'client_a' }],
  ['/account/details', { name: 'Ann' }],
  ['/account/address', { email: 'ann@other.example' }],
  ['/account/password', { current_password: 'a', new_password: 'b', new_password_again: 'b' }],
]
const formsOf = (text: string) => text.match(/<form.*?<\/form>/gs) ?? []

test('a user who is not logged in returns to the account page after the login', async () => {
  const { get, post, calls } = await browser()
  const answer = await get('/account')
  expect([answer.status, locationOf(answer)]).toEqual([302, '/auth/login?return_to=%2Faccount'])
  for (const [url, form] of changes) {
    const other = await post(url, form)
    expect([other.status, locationOf(other)]).toEqual([303, '/auth/login?return_to=%2Faccount'])
    expect(other.headers['cache-control']).toBe('no-store')
  }
  // A page that the browser's history shows again would lead to the login of somebody who has logged in since.
  for (const path of ['/account', '/admin', '/auth/second-factor']) {
    const redirect = await get(path)
    expect([path, redirect.status, redirect.headers['cache-control']]).toEqual([path, 302, 'no-store'])
  }
  expect(calls).toEqual([])
})

test.each<[string, object]>([
  ['has not proven the second factor that the user has', { secondFactorUnproven: true }],
  ['lacks the second factor that the user must have', { secondFactorDue: true }],
])('a session that %s changes nothing, but may end itself', async (_, lacking) => {
  const getSession = async () => ({ session: { ...session, ...lacking } })
  const { post, calls } = await browser({ identity: { getSession } }, ann)
  for (const [url, form] of changes) {
    const answer = await post(url, form)
    expect([url, locationOf(answer)]).toEqual([url, '/auth/second-factor?of=session&return_to=%2Faccount'])
  }
  expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['getSession']))
  expect(locationOf(await post('/account/sessions/end', { session_id: session.sessionId }))).toBe(
    '/auth/login',
  )
})

test('the page shows the user, their sessions, and the apps with their access', async () => {
  const { get, asked } = await browser(full, ann)
  const { status, text } = await get('/account')
  expect(status).toBe(200)
  expect(text).toContain('<strong><bdi>ann</bdi></strong>')
  expect(asked('listSessions')).toEqual([{ userId: 'user-1' }])
  expect(asked('listConsents')).toEqual([{ userId: 'user-1' }])
  expect(asked('lookupClients')).toEqual([
    { clients: consents.map(({ clientId }) => ({ clientId, revision: 0n })), usedSecrets: [] },
  ])
  expect(text).toContain('<strong><bdi>Acme</bdi></strong>')
  expect(text).toContain('Read your data · See your e-mail address')
  expect(text).toContain('client_gone (deleted)')
  expect(text).toContain('May 6, 2029, 07:08 UTC')
  const [, ours = '', theirs = ''] = text.split('Chrome on Linux')
  expect(text).toContain('Safari on iPhone')
  expect(text).toContain('192.0.2.7')
  expect(text).toContain('2001:db8::7')
  expect(ours.slice(0, ours.indexOf('</li>'))).toContain('this browser')
  expect(theirs).not.toContain('this browser')
  expect(text.match(/this browser/g)).toHaveLength(1)
})

describe('the apps with access', () => {
  const since = new Date('2029-01-02T03:04:05Z')
  const holders = [
    { clientId: 'client_a', scope: 'read', grantedAt: since },
    { clientId: 'client_first_party', scope: 'write', grantedAt: since },
  ]
  const firstParty = { ...client, clientId: 'client_first_party', clientName: 'Our own app' }
  const withHolders = {
    ...full,
    tokens: { listTokenHolders: async () => ({ holders }) },
    clientRegistry: { lookupClients: async () => ({ changed: [client, firstParty], unknown: [] }) },
  }

  test('are those with a consent and those with tokens but no consent, each once', async () => {
    const { get, asked } = await browser(withHolders, ann)
    const { text } = await get('/account')
    expect(asked('listTokenHolders')).toEqual([{ userId: 'user-1' }])
    expect(text.match(/name="client_id" value="[^"]*"/g)).toEqual(
      ['client_a', 'client_gone', 'client_first_party'].map((id) => `name="client_id" value="${id}"`),
    )
    const [, ours = ''] = text.split('<strong><bdi>Our own app</bdi></strong>')
    expect(ours.slice(0, ours.indexOf('</li>'))).toContain('Change your data')
    expect(ours.slice(0, ours.indexOf('</li>'))).toContain('Jan 2, 2029, 03:04 UTC')
    // The whole consent, not only the scope of the current tokens.
    expect(text).toContain('Read your data · See your e-mail address')
  })

  test('may be incomplete while the token service is away, and the page says so', async () => {
    const tokens = { listTokenHolders: refusing('temporarily_unavailable') }
    const { get } = await browser({ ...full, tokens }, ann)
    const { status, text } = await get('/account')
    expect(status).toBe(200)
    expect(text).toContain('<strong><bdi>Acme</bdi></strong>')
    expect(text).toContain('Some apps may be missing')
    const none = await (await browser({ tokens }, ann)).get('/account')
    expect(none.text).toContain('Some apps may be missing')
    expect(none.text).not.toContain('None.')
  })
})

test('the client registry is not asked if there are no apps', async () => {
  const { get, asked } = await browser({}, ann)
  expect((await get('/account')).status).toBe(200)
  expect(asked('lookupClients')).toEqual([])
})

test('each form has the id of its session or app', async () => {
  const { get } = await browser(full, ann)
  const forms = formsOf((await get('/account')).text)
  const values = (action: string) =>
    forms
      .filter((form) => form.includes(`action="${action}"`))
      .map((form) => /value="([^"]*)"/.exec(form)?.[1])
  expect(values('/account/sessions/end')).toEqual(['session-1', 'session-2'])
  expect(values('/account/apps/withdraw')).toEqual(['client_a', 'client_gone'])
  expect(values('/account/password')).toEqual(['ann'])
})

test.each(['session', 'app', 'password', 'password-only'])('the page confirms a change: %s', async (what) => {
  const { get } = await browser({}, ann)
  expect((await get(`/account?done=${what}`)).text).toMatch(/role="status">\S/)
})

test.each(['', 'constructor', '<script>', 'nothing'])(
  'the page ignores an unknown change: %j',
  async (what) => {
    const { get } = await browser({}, ann)
    const page = await get(`/account?done=${encodeURIComponent(what)}`)
    expect([page.status, page.text.includes('role="status"')]).toEqual([200, false])
  },
)

describe('ending a session', () => {
  test('ends another session of this user and leads back to the page', async () => {
    const { post, asked } = await browser(full, ann)
    const answer = await post('/account/sessions/end', { session_id: 'session-2' })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account?done=session'])
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(asked('endSession')).toEqual([{ userId: 'user-1', sessionId: 'session-2', endLinks: true }])
  })

  test('logs the user out if it is the current session', async () => {
    const { post, asked } = await browser(full, ann)
    const answer = await post('/account/sessions/end', { session_id: 'session-1' })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/auth/login'])
    expect(cookiesOf(answer).map(({ name, value }) => [name, value])).toEqual([
      ['gatehouse_session', ''],
      ['gatehouse_new_recovery_codes', ''],
    ])
    expect(asked('endSession')).toEqual([{ userId: 'user-1', sessionId: 'session-1' }])
  })

  test('is a malformed request without a session', async () => {
    const { post, asked } = await browser(full, ann)
    const page = await post('/account/sessions/end', {})
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(asked('endSession')).toEqual([])
  })
})

describe('withdrawing an app’s access', () => {
  test('withdraws this user’s consent to this client', async () => {
    const { post, asked } = await browser(full, ann)
    const answer = await post('/account/apps/withdraw', { client_id: 'client_a', user_id: 'user-2' })
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account?done=app'])
    expect(asked('withdrawConsent')).toEqual([{ userId: 'user-1', clientId: 'client_a' }])
  })

  test('is a malformed request without a client', async () => {
    const { post, asked } = await browser(full, ann)
    expect((await post('/account/apps/withdraw', { client_id: '' })).status).toBe(400)
    expect(asked('withdrawConsent')).toEqual([])
  })

  test('shows an error if it fails', async () => {
    const withdrawConsent = refusing('temporarily_unavailable')
    const { post } = await browser({ identity: { ...full.identity, withdrawConsent } }, ann)
    const page = await post('/account/apps/withdraw', { client_id: 'client_a' })
    expect([page.status, pageErrorOf(page)]).toEqual([503, 'temporarily_unavailable'])
  })
})

describe('changing the password', () => {
  const form = { current_password: 'old one', new_password: 'new one!', new_password_again: 'new one!' }

  test('succeeds', async () => {
    const changePassword = async () => ({
      outcome: { $case: 'changed' as const, value: {} },
    })
    const { post, asked } = await browser({ identity: { changePassword } }, ann)
    const answer = await post('/account/password', form)
    expect([answer.status, locationOf(answer)]).toEqual([303, '/account?done=password'])
    expect(asked('changePassword')).toEqual([
      {
        sessionSecret: secret,
        currentPassword: 'old one',
        newPassword: 'new one!',
        ipAddress: '127.0.0.1',
        keepAccess: false,
      },
    ])
  })

  test('keeps other sessions and tokens only if the user asks for that, and confirms what it did', async () => {
    const changePassword = async () => ({
      outcome: { $case: 'changed' as const, value: {} },
    })
    const { post, asked } = await browser({ identity: { changePassword } }, ann)
    const kept = await post('/account/password', { ...form, keep_access: 'yes' })
    expect([kept.status, locationOf(kept)]).toEqual([303, '/account?done=password-only'])
    for (const keep_access of ['', 'no', 'on']) await post('/account/password', { ...form, keep_access })
    expect(asked('changePassword')).toMatchObject(
      [true, false, false, false].map((keepAccess) => ({ keepAccess })),
    )
  })

  test('keeps the choice about sessions and tokens when it fails', async () => {
    const { post } = await browser({}, ann)
    const box = /<input type="checkbox" name="keep_access"[^>]*>/
    const [checked] = box.exec((await post('/account/password', { ...form, keep_access: 'yes' })).text) ?? []
    expect(checked).toMatch(/ checked>/)
    const [unchecked] = box.exec((await post('/account/password', form)).text) ?? []
    expect(unchecked).not.toContain('checked>')
  })

  test.each([
    ['wrong', { $case: 'wrongPassword' as const, value: {} }, 400, 'The current password is wrong'],
    ['throttled', { $case: 'throttled' as const, value: { retryAfterSeconds: 90 } }, 429, '2 minutes'],
    [
      'unacceptable',
      { $case: 'unacceptable' as const, value: 'It is too <short>.' },
      400,
      'too &lt;short&gt;.',
    ],
    ['without an outcome', undefined, 400, 'The current password is wrong'],
  ])('shows an error if it is %s', async (_, outcome, status, words) => {
    const { post } = await browser({ identity: { changePassword: async () => ({ outcome }) } }, ann)
    const page = await post('/account/password', form)
    expect(page.status).toBe(status)
    expect(page.headers['retry-after']).toBe(status === 429 ? '90' : undefined)
    expect(page.text).toMatch(/role="alert"/)
    expect(page.text).toContain(words)
    expect(page.text).not.toMatch(/old one|new one!/)
  })

  test.each([
    ['differ', { ...form, new_password_again: 'new one?' }],
    ['differ because one is missing', { ...form, new_password_again: '' }],
  ])('is not tried if the new passwords %s', async (_, wrong) => {
    const { post, asked } = await browser({}, ann)
    const page = await post('/account/password', wrong)
    expect(page.status).toBe(400)
    expect(page.text).toContain('The two new passwords differ')
    expect(asked('changePassword')).toEqual([])
  })

  test('is left to the identity service to refuse if no new password is given', async () => {
    const { post, asked } = await browser({}, ann)
    await post('/account/password', { current_password: 'old one' })
    expect(asked('changePassword')).toMatchObject([{ newPassword: '' }])
  })
})
