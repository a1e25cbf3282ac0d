import { describe, expect, test } from 'vitest'
import { accept, ann, authorizePath, browser, cookie, locationOf, pageErrorOf, refusing } from './browser.ts'
import { errorOf, gateway, issuer } from './gateway.ts'

const authorizationQuery = authorizePath({ scope: undefined }).slice('/oauth/authorize?'.length)
const identity = { answerConsent: async () => ({ answered: { authorizationQuery, scope: 'read email' } }) }
const allow = { question: 'the-question', decision: 'allow' }
const deny = { question: 'the-question', decision: 'deny' }

test('who allows goes back with a code, for what the page asked', async () => {
  const { post, asked } = await browser({ identity }, ann)
  const answer = await post('/oauth/consent', allow)
  expect(answer.status).toBe(303)
  expect(answer.headers['cache-control']).toBe('no-store')
  const url = new URL(locationOf(answer))
  expect(`${url.origin}${url.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'the-code', state: 'the-state', iss: issuer })
  expect(asked('answerConsent')).toEqual([
    { sessionId: 'session-1', question: 'the-question', allowed: true },
  ])
  expect(asked('createAuthorizationCode')).toMatchObject([
    { userId: 'user-1', username: 'ann', request: { clientId: 'client_a', scope: 'read email' } },
  ])
})

test('who denies goes back with access_denied, and there is no code', async () => {
  const { post, asked } = await browser({ identity }, ann)
  const answer = await post('/oauth/consent', deny)
  expect(answer.status).toBe(303)
  expect(Object.fromEntries(new URL(locationOf(answer)).searchParams)).toEqual({
    error: 'access_denied',
    error_description: 'The user denied the request.',
    state: 'the-state',
    iss: issuer,
  })
  expect(asked('answerConsent')).toMatchObject([{ allowed: false }])
  expect(asked('createAuthorizationCode')).toEqual([])
})

test('who denies a client that is gone by then stays here', async () => {
  const tokens = { checkAuthorizationRequest: refusing('invalid_client') }
  const { post, asked } = await browser({ identity, tokens }, ann)
  const page = await post('/oauth/consent', deny)
  expect([page.status, pageErrorOf(page)]).toEqual([401, 'invalid_client'])
  expect(page.headers.location).toBeUndefined()
  expect(asked('answerConsent')).toHaveLength(1)
})

test('a page that was answered already, is too old or another session’s gives nothing', async () => {
  const { post, asked } = await browser({}, ann)
  for (const form of [allow, deny]) {
    const page = await post('/oauth/consent', form)
    expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
    expect(page.text).toContain('answered already')
    expect(page.headers.location).toBeUndefined()
  }
  expect(asked('answerConsent')).toHaveLength(2)
  expect(asked('createAuthorizationCode')).toEqual([])
})

test.each([
  ['no decision', { question: 'the-question' }],
  ['an empty one', { question: 'the-question', decision: '' }],
  ['another word', { question: 'the-question', decision: 'Allow' }],
  ['a word that objects have', { question: 'the-question', decision: 'constructor' }],
])('%s is none: the question stays open', async (_, form) => {
  const { post, asked } = await browser({ identity }, ann)
  const page = await post('/oauth/consent', form as Record<string, string>)
  expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
  expect(asked('answerConsent')).toEqual([])
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
    const { send, asked } = await browser({ identity }, ann)
    const body = 'question=the-question&decision=allow'
    const page = await send('POST', '/oauth/consent', body, { accept, ...headers })
    expect([page.status, pageErrorOf(page)]).toEqual([401, 'login_required'])
    const answer = await send('POST', '/oauth/consent', body, headers)
    expect([answer.status, errorOf(answer)]).toEqual([401, 'login_required'])
    expect(asked('answerConsent')).toEqual([])
  })
})

test('a failure after the answer is told to the client', async () => {
  const tokens = { createAuthorizationCode: refusing('temporarily_unavailable') }
  const { post } = await browser({ identity, tokens }, ann)
  const answer = await post('/oauth/consent', allow)
  expect(answer.status).toBe(303)
  expect(new URL(locationOf(answer)).searchParams.get('error')).toBe('temporarily_unavailable')
})

test('the page cannot be asked for: it belongs to an authorization request', async () => {
  const { get } = await browser({}, ann)
  expect((await get('/oauth/consent')).status).toBe(405)
})
