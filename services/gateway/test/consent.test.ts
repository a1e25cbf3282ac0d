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
} from './browser.ts'
import { errorOf, gateway, issuer, nextResponse, pending } from './gateway.ts'

const allow = { question: questionOf(), decision: 'allow' }
const deny = { question: questionOf(), decision: 'deny' }
const { flowId } = pending

test('who allows goes back with a code, and what the page asked is remembered', async () => {
  const { post, asked } = await browser({}, ann)
  const answer = await post('/oauth/consent', allow)
  expect(answer.status).toBe(303)
  expect(answer.headers['cache-control']).toBe('no-store')
  const url = new URL(locationOf(answer))
  expect(`${url.origin}${url.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'the-code', state: 'the-state', iss: issuer })
  const sessionId = session.sessionId
  expect(asked('grantConsent')).toEqual([
    { flowId, sessionSecret: secret, sessionId, clientId: 'client_a', scope: 'read' },
  ])
  expect(asked('continueAuthorization')).toMatchObject([
    {
      flowId,
      decision: ConsentDecision.CONSENT_DECISION_ALLOWED,
      user: { userId: 'user-1', username: 'ann' },
    },
  ])
})

test('who denies goes back with access_denied, and nothing is remembered', async () => {
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

test('who answers for a client that is gone by then stays here', async () => {
  const tokens = { continueAuthorization: refusing('invalid_client') }
  const { post } = await browser({ tokens }, ann)
  for (const form of [allow, deny]) {
    const page = await post('/oauth/consent', form)
    expect([page.status, pageErrorOf(page)]).toEqual([401, 'invalid_client'])
    expect(page.headers.location).toBeUndefined()
  }
})

test.each<[string, string]>([
  ['nothing', ''],
  ['what nobody signed', `consent.${Buffer.from('{}').toString('base64url')}`],
  ['what somebody else signed', questionOf({}, 'another key')],
  ['what was changed', questionOf().replace('consent.e', 'consent.f')],
  ['a cookie of ours', decodeURIComponent(cookie('gatehouse_session', secret).split('=')[1] ?? '')],
  ['what is too old', questionOf({}, undefined, () => Date.now() - 900_001)],
  ['what was asked in another session', questionOf({ sessionId: 'session-2' })],
])('a question that is %s has no answer', async (_, question) => {
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
  ['an empty one', { question: questionOf(), decision: '' }],
  ['another word', { question: questionOf(), decision: 'Allow' }],
  ['a word that objects have', { question: questionOf(), decision: 'constructor' }],
])('%s is none: the question stays open', async (_, form) => {
  const { post, asked } = await browser({}, ann)
  const page = await post('/oauth/consent', form as Record<string, string>)
  expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
  expect(asked('grantConsent')).toEqual([])
})

test('two decisions at once are none', async () => {
  const { send, calls } = await gateway()
  const answer = await send('POST', '/oauth/consent', 'question=q&decision=deny&decision=allow')
  expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
  expect(calls).toEqual([])
})

describe('without a session', () => {
  test.each([
    ['none', {}],
    ['one that is over', { cookie: cookie('gatehouse_session', 'o'.repeat(43)) }],
    ['one that we did not sign', { cookie: cookie('gatehouse_session', 's'.repeat(43), 'another key') }],
  ])('nobody’s answer is taken: %s', async (_, headers) => {
    const { send, asked } = await browser({}, ann)
    const body = new URLSearchParams(allow).toString()
    const page = await send('POST', '/oauth/consent', body, { accept, ...headers })
    expect([page.status, pageErrorOf(page)]).toEqual([401, 'login_required'])
    const answer = await send('POST', '/oauth/consent', body, headers)
    expect([answer.status, errorOf(answer)]).toEqual([401, 'login_required'])
    expect(asked('continueAuthorization')).toEqual([])
  })
})

test('a session that ends while the answer is taken gives nothing', async () => {
  const grantConsent = async () => ({ session: undefined })
  const { post, asked } = await browser({ identity: { grantConsent } }, ann)
  const page = await post('/oauth/consent', allow)
  expect([page.status, pageErrorOf(page)]).toEqual([401, 'login_required'])
  expect(asked('continueAuthorization')).toEqual([])
})

test('a service that is away is said, and the answer can be given again', async () => {
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

test('the page cannot be asked for: it belongs to an authorization request', async () => {
  const { get } = await browser({}, ann)
  expect((await get('/oauth/consent')).status).toBe(405)
})
