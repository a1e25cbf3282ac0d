import type { ErrorCode } from '@gatehouse/proto/errors'
import { ConsentRule } from '@gatehouse/proto/token/v1'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerAddress, readAuthorization } from '../src/authorization.ts'
import {
  ann,
  authorization,
  authorizePath,
  browser,
  locationOf,
  pageErrorOf,
  refusing,
  session,
} from './browser.ts'
import { checked, issuer } from './gateway.ts'

const consent = ConsentRule.CONSENT_RULE_NOT_NEEDED
const tokens = { checkAuthorizationRequest: async () => ({ ...checked, scope: 'read email', consent }) }

test('the redirect URI gets the code, the state and who answers, and nobody keeps that', async () => {
  const { get, asked } = await browser({ tokens }, ann)
  const answer = await get(authorizePath())
  expect(answer.status).toBe(302)
  expect(answer.headers['cache-control']).toBe('no-store')
  const url = new URL(locationOf(answer))
  expect(`${url.origin}${url.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'the-code', state: 'the-state', iss: issuer })
  expect(asked('createAuthorizationCode')).toMatchObject([
    {
      userId: 'user-1',
      username: 'ann',
      request: { clientId: 'client_a', redirectUri: 'https://app.example/cb' },
    },
  ])
})

test('the code counts as given when the session was looked at: who is shut out a moment later has no tokens by it', async () => {
  const { get, asked } = await browser({ tokens }, ann)
  await get(authorizePath())
  expect(asked('createAuthorizationCode')).toMatchObject([{ grantedAt: session.seenAt }])
})

test('the code is for the scope that was judged, whatever the client is registered for by then', async () => {
  const { get, asked } = await browser({ tokens }, ann)
  await get(authorizePath({ scope: undefined }))
  expect(asked('createAuthorizationCode')).toMatchObject([{ request: { scope: 'read email' } }])
})

test('without a state none comes back', async () => {
  const { get } = await browser({ tokens }, ann)
  for (const state of [undefined, '']) {
    const url = new URL(locationOf(await get(authorizePath({ state }))))
    expect([...url.searchParams.keys()]).toEqual(['code', 'iss'])
  }
})

test.each([
  'a+b',
  '100%',
  '%2B',
  'a&code=evil&iss=evil',
  'a#b',
  'a b',
  'ü 😀',
  '"<>\\',
  '\r\nSet-Cookie: a=b',
  '=',
])('the state %j comes back unchanged, percent-encoded', async (state) => {
  const { get } = await browser({ tokens }, ann)
  const location = locationOf(await get(authorizePath({ state })))
  expect(location).toContain(`&state=${encodeURIComponent(state)}&`)
  const { searchParams } = new URL(location)
  expect(searchParams.getAll('state')).toEqual([state])
  expect(searchParams.getAll('code')).toEqual(['the-code'])
  expect(searchParams.getAll('iss')).toEqual([issuer])
})

test('any state comes back unchanged, by whichever encoding it was sent', () => {
  const written = [
    (state: string) => new URLSearchParams({ state }).toString(),
    (state: string) => `state=${encodeURIComponent(state)}`,
  ]
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), fc.constantFrom(...written), (state, write) => {
      fc.pre(!state.includes('\0'))
      const received = readAuthorization(`redirect_uri=https%3A%2F%2Fapp.example%2Fcb&${write(state)}`)
      const address = answerAddress(received, issuer, { code: 'x' })
      expect(address).toMatch(/^[\x21-\x7e]+$/)
      expect(new URL(address).searchParams.get('state')).toBe(state)
    }),
  )
})

test.each([
  ['https://app.example/cb?a=b%20c&d', 'https://app.example/cb?a=b%20c&d&code=the-code&'],
  ['https://app.example/cb?', 'https://app.example/cb?code=the-code&'],
  ['https://app.example/cb?a=b&', 'https://app.example/cb?a=b&code=the-code&'],
  ['https://app.example', 'https://app.example?code=the-code&'],
  ['HTTPS://App.Example/CB', 'HTTPS://App.Example/CB?code=the-code&'],
  ['http://127.0.0.1:5000/cb', 'http://127.0.0.1:5000/cb?code=the-code&'],
  ['http://[::1]:5000/cb', 'http://[::1]:5000/cb?code=the-code&'],
  ['com.example.app:/cb', 'com.example.app:/cb?code=the-code&'],
])('what the redirect URI has stays: %s', async (redirectUri, beginning) => {
  const { get } = await browser({ tokens }, ann)
  const location = locationOf(await get(authorizePath({ redirect_uri: redirectUri })))
  expect(location).toBe(`${beginning}state=the-state&iss=${encodeURIComponent(issuer)}`)
})

describe('when no code can be made', () => {
  test.each<[ErrorCode, number]>([
    ['server_error', 50],
    ['temporarily_unavailable', 40],
  ])('%s is told to the client, and logged', async (code, level) => {
    const createAuthorizationCode = refusing(code, 'Sorry & so.')
    const { get, lines } = await browser({ tokens: { ...tokens, createAuthorizationCode } }, ann)
    const answer = await get(authorizePath({ redirect_uri: 'https://app.example/cb?a=b' }))
    expect(answer.status).toBe(302)
    const { searchParams } = new URL(locationOf(answer))
    expect(Object.fromEntries(searchParams)).toEqual({
      a: 'b',
      error: code,
      error_description: 'Sorry & so.',
      state: authorization.state,
      iss: issuer,
    })
    expect(lines).toContainEqual(expect.objectContaining({ level, code }))
  })

  test('what nobody expected tells the client nothing', async () => {
    const createAuthorizationCode = () => Promise.reject(new Error('the secret is hunter2'))
    const { get } = await browser({ tokens: { ...tokens, createAuthorizationCode } }, ann)
    const location = locationOf(await get(authorizePath()))
    expect(new URL(location).searchParams.get('error')).toBe('server_error')
    expect(location).not.toContain('hunter2')
  })

  test.each<ErrorCode>(['invalid_client', 'invalid_request', 'unauthorized_client', 'invalid_scope'])(
    '%s means that the client has changed: its redirect URI is told nothing',
    async (code) => {
      const createAuthorizationCode = refusing(code)
      const { get } = await browser({ tokens: { ...tokens, createAuthorizationCode } }, ann)
      const page = await get(authorizePath())
      expect(page.status).toBeGreaterThanOrEqual(400)
      expect(pageErrorOf(page)).toBe(code)
      expect(page.headers.location).toBeUndefined()
    },
  )
})
