import type { ErrorCode } from '@gatehouse/proto/errors'
import type { AuthorizationResponse } from '@gatehouse/proto/token/v1'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerAddress, readAuthorization } from '../../../src/people/authorization/authorization.ts'
import type { TokenService } from '../../../src/services/token-service.ts'
import { ann, authorization, authorizePath, browser, locationOf, session } from '../../../testing/browser.ts'
import { issuer, nextResponse } from '../../../testing/gateway.ts'

/** A browser whose request is answered at once, at its redirect URI and with its state. */
function answered(outcome: AuthorizationResponse['outcome'] = { $case: 'code', value: 'the-code' }) {
  const beginAuthorization: TokenService['beginAuthorization'] = async ({ request, state }) =>
    nextResponse({ redirectUri: request?.redirectUri ?? '', state, outcome })
  return browser({ tokens: { beginAuthorization } }, ann)
}

test('the redirect URI gets the code, the state and the issuer, and the answer is not cached', async () => {
  const { get } = await answered()
  const answer = await get(authorizePath())
  expect(answer.status).toBe(302)
  expect(answer.headers['cache-control']).toBe('no-store')
  const url = new URL(locationOf(answer))
  expect(`${url.origin}${url.pathname}`).toBe('https://app.example/cb')
  expect(Object.fromEntries(url.searchParams)).toEqual({ code: 'the-code', state: 'the-state', iss: issuer })
})

test('a code is issued as of the look at the session: a user who is disabled afterwards gets no tokens for it', async () => {
  const { get, asked } = await browser({}, ann)
  await get(authorizePath())
  expect(asked('beginAuthorization')).toMatchObject([{ user: { seenAt: session.seenAt } }])
})

test('the answer has no state if the request had none', async () => {
  const { get } = await answered()
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
  const { get } = await answered()
  const location = locationOf(await get(authorizePath({ state })))
  expect(location).toContain(`&state=${encodeURIComponent(state)}&`)
  const { searchParams } = new URL(location)
  expect(searchParams.getAll('state')).toEqual([state])
  expect(searchParams.getAll('code')).toEqual(['the-code'])
  expect(searchParams.getAll('iss')).toEqual([issuer])
})

test('any state comes back unchanged, whatever its encoding', () => {
  const written = [
    (state: string) => new URLSearchParams({ state }).toString(),
    (state: string) => `state=${encodeURIComponent(state)}`,
  ]
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), fc.constantFrom(...written), (state, write) => {
      fc.pre(!state.includes('\0'))
      const received = readAuthorization(write(state), false)
      const to = { redirectUri: 'https://app.example/cb', state: received.state }
      const address = answerAddress(to, issuer, { code: 'x' })
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
])('the redirect URI keeps its query: %s', async (redirectUri, beginning) => {
  const { get } = await answered()
  const location = locationOf(await get(authorizePath({ redirect_uri: redirectUri })))
  expect(location).toBe(`${beginning}state=the-state&iss=${encodeURIComponent(issuer)}`)
})

test.each<ErrorCode>(['server_error', 'temporarily_unavailable'])(
  'the client gets %s if no code can be made, and it is logged',
  async (code) => {
    const { get, lines } = await answered({ $case: 'failure', value: { code, description: 'Sorry & so.' } })
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
    expect(lines).toContainEqual(expect.objectContaining({ status: 302, outcome: code }))
  },
)
