import { Refusal } from '@gatehouse/kit/errors'
import { ConsentDecision } from '@gatehouse/proto/token/v1'
import { describe, expect, test } from 'vitest'
import {
  accept,
  ann,
  browser,
  cookie,
  locationOf,
  pageErrorOf,
  questionOf,
  refusing,
  secret,
  session,
} from '../../../testing/browser.ts'
import { errorOf, gateway, issuer, nextResponse, nextStep, pending } from '../../../testing/gateway.ts'

const allow = { question: questionOf(), decision: 'allow' }
const deny = { question: questionOf(), decision: 'deny' }
const { flowId } = pending

test('a user who allows goes back with a code, and the consent to what the page asked is stored', async () => {
  const { post, asked } = await browser({}, ann)
  const answer = await post('/oauth/consent', allow)
  expect(answer.status).toBe(303)
  expect(answer.headers['cache-control']).toBe('no-store')
  const url = new URL(locationOf(answer))
  expect(`${url.origin}${url.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'the-code', state: 'the-state', iss: issuer })
  const sessionId = session.sessionId
  expect(asked('grantConsent')).toEqual([
    { flowId, sessionSecret: secret, sessionId, clientId: 'client_a', clientName: 'Acme', scope: 'read' },
  ])
  expect(asked('continueAuthorization')).toMatchObject([
    {
      flowId,
      decision: ConsentDecision.CONSENT_DECISION_ALLOWED,
      agreedScope: 'read',
      user: { userId: 'user-1', username: 'ann' },
    },
  ])
})

test('the scopes of groups, roles and organizations are in words where organizations are on', async () => {
  const tokens = {
    continueAuthorization: async () => nextStep('askConsent', { scope: 'organization groups roles' }),
  }
  const page = `/oauth/continue?flow=${flowId}`
  const on = await (await browser({ organizations: true, tokens }, ann)).get(page)
  for (const words of [
    'the name of the organization',
    'the groups that you are in',
    'the roles that you have',
  ])
    expect(on.text).toContain(`<li>See ${words}</li>`)
  const off = await (await browser({ tokens }, ann)).get(page)
  expect(off.text).toContain('<li>Use “roles”</li>')
})

test('a user who denies goes back with access_denied, and nothing is stored', async () => {
  const value = { code: 'access_denied', description: 'The user denied the request.' }
  const continueAuthorization = async () => nextResponse({ outcome: { $case: 'failure', value } })
  const { post, asked, lines } = await browser({ tokens: { continueAuthorization } }, ann)
  const answer = await post('/oauth/consent', deny)
  expect(answer.status).toBe(303)
  expect(Object.fromEntries(new URL(locationOf(answer)).searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'The user denied the request.',
    state: 'the-state',
    iss: issuer,
  })
  expect(asked('grantConsent')).toEqual([])
  expect(asked('continueAuthorization')).toMatchObject([
    { decision: ConsentDecision.CONSENT_DECISION_DENIED },
  ])
  expect(lines).toContainEqual(expect.objectContaining({ outcome: 'access_denied', client_id: 'client_a' }))
})

test('a user is not redirected if the client has been deleted meanwhile', async () => {
  const tokens = { continueAuthorization: refusing('invalid_client') }
  const { post } = await browser({ tokens }, ann)
  for (const form of [allow, deny]) {
    const page = await post('/oauth/consent', form)
    expect([page.status, pageErrorOf(page)]).toEqual([401, 'invalid_client'])
    expect(page.headers.location).toBeUndefined()
  }
})

test.each<[string, string]>([
  ['missing', ''],
  ['unsigned', `consent.${Buffer.from('{}').toString('base64url')}`],
  ['signed with another key', questionOf({}, 'another key')],
  ['altered', questionOf().replace('consent.e', 'consent.f')],
  [
    'a signed cookie of another kind',
    decodeURIComponent(cookie('gatehouse_session', secret).split('=')[1] ?? ''),
  ],
  ['too old', questionOf({}, undefined, () => Date.now() - 900_001)],
  ['of another session', questionOf({ sessionId: 'session-2' })],
])('the answer to a question that is %s is refused', async (_, question) => {
  const { post, asked } = await browser({}, ann)
  for (const form of [allow, deny]) {
    const page = await post('/oauth/consent', { ...form, question })
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(page.text).toContain('answered already')
    expect(page.headers.location).toBeUndefined()
  }
  expect(asked('continueAuthorization')).toEqual([])
})

test.each([
  ['no decision', { question: questionOf() }],
  ['an empty decision', { question: questionOf(), decision: '' }],
  ['another word', { question: questionOf(), decision: 'Allow' }],
  ['a word that objects have', { question: questionOf(), decision: 'constructor' }],
])('%s is refused, and the question stays open', async (_, form) => {
  const { post, asked } = await browser({}, ann)
  const page = await post('/oauth/consent', form as Record<string, string>)
  expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
  expect(asked('grantConsent')).toEqual([])
})

test('two decisions at once are refused', async () => {
  const { send, calls } = await gateway()
  const answer = await send('POST', '/oauth/consent', 'question=q&decision=deny&decision=allow')
  expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  expect(calls).toEqual([])
})

describe('without a session', () => {
  test.each([
    ['none', {}],
    ['an expired one', { cookie: cookie('gatehouse_session', 'o'.repeat(43)) }],
    ['one with a foreign signature', { cookie: cookie('gatehouse_session', 's'.repeat(43), 'another key') }],
  ])('an answer is refused: %s', async (_, headers) => {
    const { send, asked } = await browser({}, ann)
    const body = new URLSearchParams(allow).toString()
    const page = await send('POST', '/oauth/consent', body, { accept, ...headers })
    expect([page.status, pageErrorOf(page)]).toEqual([401, 'login_required'])
    const answer = await send('POST', '/oauth/consent', body, headers)
    expect([answer.status, errorOf(answer)]).toEqual([401, 'login_required'])
    expect(asked('continueAuthorization')).toEqual([])
  })
})

test('a session that ends while its answer is processed gives no code', async () => {
  const grantConsent = async () => ({ session: undefined })
  const { post, asked } = await browser({ identity: { grantConsent } }, ann)
  const page = await post('/oauth/consent', allow)
  expect([page.status, pageErrorOf(page)]).toEqual([401, 'login_required'])
  expect(asked('continueAuthorization')).toEqual([])
})

test('the page reports a service that is away, and the user can answer again', async () => {
  const away = new Refusal('temporarily_unavailable')
  for (const changes of [
    { identity: { grantConsent: () => Promise.reject(away) } },
    { tokens: { continueAuthorization: () => Promise.reject(away) } },
  ]) {
    const { post } = await browser(changes, ann)
    const page = await post('/oauth/consent', allow)
    expect([page.status, pageErrorOf(page)]).toEqual([503, 'temporarily_unavailable'])
  }
})

test('GET is refused: the page belongs to an authorization request', async () => {
  const { get } = await browser({}, ann)
  expect((await get('/oauth/consent')).status).toBe(405)
})
