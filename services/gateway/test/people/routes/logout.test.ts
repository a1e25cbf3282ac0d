import type { CheckLogoutResponse } from '@gatehouse/proto/token/v1'
import { hiddenFields } from '@gatehouse/test/browser/browser-login'
import { describe, expect, test } from 'vitest'
import {
  ann,
  browser,
  cookiesOf,
  locationOf,
  pageErrorOf,
  policyOf,
  refusing,
  root,
  session,
} from '../../../testing/browser.ts'
import { gateway, issuer } from '../../../testing/gateway.ts'

const bye = 'https://app.example/bye?x=1'
const matching = { userId: ann.userId, sessionId: session.sessionId }
const client = { clientId: 'client_a', clientName: 'Acme', redirectsUnasked: true }
const withoutHint = { ...client, userId: undefined, sessionId: undefined }

type Checked = Partial<CheckLogoutResponse>

/** A browser at a provider whose token service has checked the logout request. */
const at = (checked: Checked, user?: typeof ann) =>
  browser({ openid: true, tokens: { checkLogout: async () => ({ ...withoutHint, ...checked }) } }, user)

const path = (parameters: Record<string, string> = {}) => `/oauth/logout?${new URLSearchParams(parameters)}`
const toApp = path({ id_token_hint: 'h', post_logout_redirect_uri: bye, state: 'a b&c' })

const ended = { userId: ann.userId, sessionId: session.sessionId }
const clearsSession = (answer: { headers: Record<string, unknown>; text: string }) =>
  cookiesOf(answer).some(({ name, value }) => name === 'gatehouse_session' && value === '')

test('with an ID token of the browser’s session, the user is logged out without being asked', async () => {
  const { get, asked } = await at(matching, ann)
  const answer = await get(toApp)
  expect([answer.status, locationOf(answer)]).toEqual([302, `${bye}&state=a%20b%26c`])
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(clearsSession(answer)).toBe(true)
  expect(asked('endSession')).toEqual([ended])
  expect(asked('emit')).toEqual([
    { type: 'user_logout', userId: ann.userId, clientId: 'client_a', metadata: {} },
  ])
  expect(asked('checkLogout')).toEqual([{ idTokenHint: 'h', postLogoutRedirectUri: bye }])
})

test.each<[string, Checked]>([
  ['of another session of the user', { ...matching, sessionId: 'session-2' }],
  ['of another user', { ...matching, userId: root.userId }],
  ['without a session', { ...matching, sessionId: undefined }],
  ['that was not sent', {}],
])('an ID token %s logs nobody out: the user is asked', async (_, checked) => {
  const { get, asked } = await at(checked, ann)
  const page = await get(toApp)
  expect([page.status, pageErrorOf(page), asked('endSession')]).toEqual([200, '', []])
  expect(clearsSession(page)).toBe(false)
  for (const words of ['Log out of', 'ann', 'Acme', 'app.example', 'Stay logged in'])
    expect(page.text).toContain(words)
  // Chromium applies form-action to the redirect after the form.
  expect(policyOf(page)['form-action']).toEqual(["'self'", 'https:'])
})

test('an address that no client could have registered leads nowhere, also after the user has logged out', async () => {
  const { get, post } = await at({ clientId: undefined, clientName: undefined, redirectsUnasked: false }, ann)
  const page = await get(toApp)
  expect(page.text).not.toContain('app.example')
  const answer = await post('/oauth/logout/answer', { ...hiddenFields(page.text), decision: 'log_out' })
  expect([answer.status, locationOf(answer)]).toEqual([303, '/oauth/logout?ui_locales=en'])
  expect(clearsSession(answer)).toBe(true)
})

test('an invalid logout request ends nothing and redirects nowhere', async () => {
  const tokens = {
    checkLogout: refusing('invalid_request', 'The post_logout_redirect_uri is not registered.'),
  }
  const { get, asked } = await browser({ openid: true, tokens }, ann)
  const page = await get(toApp)
  expect([page.status, pageErrorOf(page)]).toEqual([400, 'invalid_request'])
  expect([page.headers.location, asked('endSession')]).toEqual([undefined, []])
  expect((await get(`${toApp}&state=again`)).status).toBe(400)
})

describe('without a session', () => {
  test('the browser goes to a registered address, with the state only if there is one', async () => {
    const { get, asked } = await at({})
    expect(locationOf(await get(toApp))).toBe(`${bye}&state=a%20b%26c`)
    expect(locationOf(await get(path({ client_id: 'client_a', post_logout_redirect_uri: bye })))).toBe(bye)
    expect(asked('endSession')).toEqual([])
  })

  test('a client that registered itself cannot redirect a browser: its user gets a link', async () => {
    const { get } = await at({ redirectsUnasked: false })
    const page = await get(toApp)
    expect([page.status, page.headers.location]).toEqual([200, undefined])
    expect(page.text).toContain('You are logged out')
    expect(page.text).toContain(`href="${bye}&amp;state=a%20b%26c"`)
  })

  test('a page says that nobody is logged in', async () => {
    const { get } = await at({})
    const page = await get('/oauth/logout')
    expect([page.status, pageErrorOf(page)]).toEqual([200, ''])
    expect(page.text).toContain('You are logged out')
  })
})

describe('the answer to the page', () => {
  async function askedIn(checked: Checked = {}) {
    const opened = await at({ redirectsUnasked: false, ...checked }, ann)
    const fields = hiddenFields((await opened.get(toApp)).text)
    const answer = (
      decision: string,
      more: Record<string, string> = {},
      changes: Record<string, string> = {},
    ) => opened.post('/oauth/logout/answer', { ...fields, ...changes, decision }, more)
    return { ...opened, fields, answer }
  }

  test('logs out and goes to the app', async () => {
    const { answer, asked } = await askedIn()
    const gone = await answer('log_out')
    expect([gone.status, locationOf(gone)]).toEqual([303, `${bye}&state=a%20b%26c`])
    expect([asked('endSession'), clearsSession(gone)]).toEqual([[ended], true])
    // The client may have changed since the page was shown.
    expect(asked('checkLogout')).toHaveLength(2)
  })

  test('leaves everything as it is when the user stays logged in', async () => {
    const { answer, asked } = await askedIn()
    const stays = await answer('stay')
    expect([stays.status, locationOf(stays), asked('endSession')]).toEqual([303, '/account', []])
  })

  test('is refused from another site, without a decision, and when it was not asked', async () => {
    const { answer, asked, fields } = await askedIn()
    const statuses = [
      await answer('log_out', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }),
      await answer(''),
      await answer('log_out', {}, { question: '' }),
      await answer('log_out', {}, { question: fields.question?.replace('logout.', 'consent.') ?? '' }),
    ].map(({ status }) => status)
    expect([statuses, asked('endSession')]).toEqual([[403, 400, 400, 400], []])
  })

  test('is refused in another session than the one in which the user was asked', async () => {
    const { fields } = await askedIn()
    const getSession = async () => ({ session: { ...session, sessionId: 'session-2' } })
    const tokens = { checkLogout: async () => withoutHint }
    const other = await browser({ openid: true, tokens, identity: { getSession } }, ann)
    const refused = await other.post('/oauth/logout/answer', { ...fields, decision: 'log_out' })
    expect([refused.status, other.asked('endSession')]).toEqual([400, []])
  })
})

test('a form of another site goes on as a request by GET, with which the browser sends its cookies', async () => {
  const { send, asked } = await gateway({ openid: true })
  const headers = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }
  const body = new URLSearchParams({ id_token_hint: 'h', state: 'x' }).toString()
  const answer = await send('POST', '/oauth/logout', body, headers)
  expect([answer.status, answer.headers.location]).toEqual([303, `/oauth/logout?${body}`])
  expect(asked('checkLogout')).toEqual([])
})

test('there is no logout endpoint where OpenID Connect is off', async () => {
  const { send } = await gateway()
  const statuses = [
    await send('GET', '/oauth/logout'),
    await send('POST', '/oauth/logout', 'state=x'),
    await send('POST', '/oauth/logout/answer', 'decision=log_out', { origin: issuer }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([404, 404, 404])
})
