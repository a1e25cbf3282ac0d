import { browse, type CookieJar, hiddenFields } from '@gatehouse/test/browser/browser-login'
import { credentialsOf } from '@gatehouse/test/oauth'
import type { TestSystem } from '@gatehouse/test/system'
import { beginTrace, spansOf } from '@gatehouse/test/traces'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addUser, authorizationRequest, password, pkce } from '../logins/login-people.ts'
import { startTracedSystem, type TracedSystem } from './traced-system.ts'

let traced: TracedSystem
let system: TestSystem
let secrets: string[]
beforeAll(async () => {
  traced = await startTracedSystem()
  ;({ system, secrets } = traced)
})
afterAll(() => traced?.stop())

const issue = 'gatehouse.token.v1.TokenService/Issue'
const beginAuthorizations = 'gatehouse.token.v1.TokenService/BeginAuthorizations'

test('a user’s way from the login to a token is traced step by step', async () => {
  const client = await traced.register()
  const username = 'ursula-the-traced'
  await addUser(system, username)
  // The page asks for the social providers now and then.
  await browse(system, new Map(), '/auth/login')
  const { verifier, challenge } = pkce()
  const state = 'a-state-that-nobody-else-has'
  const query = { ...authorizationRequest(client, challenge), state }
  const address = `/oauth/authorize?${new URLSearchParams(query)}`
  const jar: CookieJar = new Map()
  secrets.push(username, verifier, challenge, state)
  const step = (path: string) => {
    const trace = beginTrace()
    return { ...trace, ask: () => browse(system, jar, path, { headers: trace.headers }) }
  }

  const asked = step(address)
  const shown = step((await asked.ask()).headers.get('location') ?? '')
  const loginFields = hiddenFields(await (await shown.ask()).text())
  const post = (path: string, fields: Record<string, string>) => {
    const trace = beginTrace()
    const headers = { ...trace.headers, origin: system.baseUrl, 'sec-fetch-site': 'same-origin' }
    const sent = browse(system, jar, path, { method: 'POST', headers, body: new URLSearchParams(fields) })
    return { ...trace, sent }
  }
  const login = post('/auth/login', { ...loginFields, username, password })
  const asks = step((await login.sent).headers.get('location') ?? '')
  const fields = hiddenFields(await (await asks.ask()).text())
  secrets.push(...[...jar.values()].flatMap((value) => [value, decodeURIComponent(value)]))
  secrets.push(...Object.values(fields))
  const allowed = post('/oauth/consent', { ...fields, decision: 'allow' })
  const answer = await allowed.sent
  const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
  secrets.push(code)
  const redeemed = beginTrace()
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, ...credentialsOf(client) }
  const tokens = await system.form('/oauth/token', form, redeemed.headers)
  const { access_token: token, refresh_token: refreshToken } = (await tokens.json()) as Record<string, string>
  secrets.push(String(token), String(refreshToken))
  expect([code.length > 20, tokens.status]).toEqual([true, 200])
  // With a code in its query, as a mistaken client might send it.
  const mistaken = beginTrace()
  await system.request(`/oauth/tokens/${code}?code=${code}`, { headers: mistaken.headers })

  const at = (one: { traceId: string }) => one.traceId
  await traced.expectTree(at(asked), [
    'gateway server GET /oauth/authorize',
    `  gateway client ${beginAuthorizations}`,
    `    token server ${beginAuthorizations}`,
  ])
  await traced.expectBatch(at(asked), beginAuthorizations, 'add_authorization_flow')
  await traced.expectTree(at(shown), [
    'gateway server GET /auth/login',
    '  gateway client gatehouse.token.v1.TokenService/GetAuthorization',
    '    token server gatehouse.token.v1.TokenService/GetAuthorization',
    '      token client find_authorization_flow',
  ])
  await traced.expectTree(at(login), [
    'gateway server POST /auth/login',
    '  gateway client gatehouse.identity.v1.IdentityService/LogIn',
    '    identity server gatehouse.identity.v1.IdentityService/LogIn',
    '      identity client count_login_attempt',
    '      identity client find_user_by_name',
    '      identity client forgive_login_attempt',
    '      identity client begin_session',
    '      identity client add_login_attempt',
    '  gateway client gatehouse.token.v1.TokenService/ContinueAuthorization',
    '    token server gatehouse.token.v1.TokenService/ContinueAuthorization',
    '      token client find_authorization_flow',
  ])
  await traced.expectTree(at(asks), [
    'gateway server GET /oauth/continue',
    '  gateway client gatehouse.token.v1.TokenService/GetAuthorization',
    '    token server gatehouse.token.v1.TokenService/GetAuthorization',
    '      token client find_authorization_flow',
    '  gateway client gatehouse.identity.v1.IdentityService/GetSessions',
    '    identity server gatehouse.identity.v1.IdentityService/GetSessions',
    '  gateway client gatehouse.token.v1.TokenService/ContinueAuthorization',
    '    token server gatehouse.token.v1.TokenService/ContinueAuthorization',
    '      token client find_authorization_flow',
  ])
  await traced.expectTree(at(allowed), [
    'gateway server POST /oauth/consent',
    '  gateway client gatehouse.token.v1.TokenService/GetAuthorization',
    '    token server gatehouse.token.v1.TokenService/GetAuthorization',
    '      token client find_authorization_flow',
    '  gateway client gatehouse.identity.v1.IdentityService/GrantConsent',
    '    identity server gatehouse.identity.v1.IdentityService/GrantConsent',
    '      identity client begin',
    '      identity client insert identity.consents',
    '      identity client commit',
    '  gateway client gatehouse.token.v1.TokenService/ContinueAuthorization',
    '    token server gatehouse.token.v1.TokenService/ContinueAuthorization',
    '      token client find_authorization_flow',
    '      token client add_authorization_codes',
  ])
  await traced.expectTree(at(redeemed), [
    'gateway server POST /oauth/token',
    `  gateway client ${issue}`,
    `    token server ${issue}`,
  ])
  await traced.expectBatch(at(redeemed), issue, 'redeem_authorization_codes')
  const { collector } = traced
  await expect.poll(() => spansOf(collector, at(mistaken)).length, { timeout: 10_000 }).toBeGreaterThan(0)
})

test('no span of it has a secret, a token, a code, a session, a state or the user’s name in it', () => {
  expect(secrets.length).toBeGreaterThan(10)
  traced.expectNoSecrets()
})
