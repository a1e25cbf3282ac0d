import { browse, type CookieJar, hiddenFields, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { startLogoutReceiver } from '@gatehouse/test/servers/logout-receiver'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { afterAll, expect, test } from 'vitest'
import { asAdministrator, follow, requestOf, startProvider } from './openid-world.ts'

const receiver = await startLogoutReceiver()
const bye = 'https://rp.example/bye'
const provider = await startProvider()
const { system, root } = provider
const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', system.baseUrl))
const relyingParty = await provider.createClient({
  id_token_signed_response_alg: 'ES256',
  post_logout_redirect_uris: [bye],
  backchannel_logout_uri: receiver.url,
  backchannel_logout_session_required: true,
})
const config = await provider.configure(relyingParty)
const metadata = { ...relyingParty, id_token_signed_response_alg: 'ES256' }
const own = new client.Configuration(config.serverMetadata(), relyingParty.client_id, metadata)
client.allowInsecureRequests(own)
afterAll(() => receiver.close())

/** A new browser that is logged in at the client, with the tokens of the login. */
async function logInAt(scope = 'openid profile', jar: CookieJar = new Map()) {
  const { address, checks } = await requestOf(config, { scope })
  const { at } = await follow(system, jar, address)
  const tokens = await client.authorizationCodeGrant(own, at, checks)
  const claims = tokens.claims() ?? expect.unreachable('no ID token')
  return { jar, claims, idToken: tokens.id_token ?? '', tokens, sid: String(claims.sid) }
}
type Login = Awaited<ReturnType<typeof logInAt>>

const logoutAddress = ({ idToken }: Login, parameters: Record<string, string> = {}) =>
  client.buildEndSessionUrl(config, { id_token_hint: idToken, ...parameters })

/** The verified logout tokens of a session. */
async function logoutTokensOf({ sid }: Login) {
  const verified = await Promise.all(
    receiver.tokens().map((token) =>
      jwtVerify(token, keys, {
        typ: 'logout+jwt',
        algorithms: ['ES256'],
        issuer: system.baseUrl,
        audience: relyingParty.client_id,
      }),
    ),
  )
  return verified.map(({ payload }) => payload).filter((claims) => claims.sid === sid)
}

/** Waits until the client has been told of the end of a session, which on a busy machine takes seconds. */
const notifiedOnce = (login: Login) =>
  expect.poll(() => logoutTokensOf(login), { timeout: 10_000 }).toHaveLength(1)

const isActive = async ({ tokens }: Login) => {
  const answer = await system.form('/oauth/introspect', { token: tokens.access_token })
  return ((await answer.json()) as { active: boolean }).active
}

test('a client logs its user out: the session and its tokens end, and the browser comes back', async () => {
  const login = await logInAt()
  const answer = await browse(
    system,
    login.jar,
    logoutAddress(login, { post_logout_redirect_uri: bye, state: 's t' }),
  )
  expect([answer.status, answer.headers.get('location')]).toEqual([302, `${bye}?state=s%20t`])
  expect(login.jar.has('gatehouse_session')).toBe(false)
  expect(await isActive(login)).toBe(false)
  await expect(client.refreshTokenGrant(own, login.tokens.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
  const { address } = await requestOf(config, { prompt: 'none' })
  const silent = await follow(system, login.jar, address, false)
  expect(silent.at.searchParams.get('error')).toBe('login_required')
})

test('the client gets a logout token that a verifier of the published keys accepts, and no ID token reader', async () => {
  const login = await logInAt()
  await browse(system, login.jar, logoutAddress(login))
  await notifiedOnce(login)
  const [claims] = await logoutTokensOf(login)
  expect(claims).toEqual({
    iss: system.baseUrl,
    aud: relyingParty.client_id,
    sub: login.claims.sub,
    sid: login.sid,
    iat: expect.any(Number),
    exp: Number(claims?.iat) + 120,
    jti: expect.any(String),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
  const hint = receiver.tokens().at(-1) ?? ''
  const other = await browse(system, new Map(), client.buildEndSessionUrl(config, { id_token_hint: hint }))
  expect(other.status).toBe(400)
})

test('an ID token that somebody got hold of logs nobody out', async () => {
  const stolen = await logInAt()
  const theirs = await logInAt()
  const page = await browse(system, theirs.jar, logoutAddress(stolen, { post_logout_redirect_uri: bye }))
  expect([page.status, await page.clone().text()]).toEqual([200, expect.stringContaining('Stay logged in')])
  expect([await isActive(stolen), await isActive(theirs)]).toEqual([true, true])
  const answer = await submit(system, theirs.jar, '/oauth/logout/answer', {
    ...hiddenFields(await page.text()),
    decision: 'log_out',
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([303, bye])
  expect([await isActive(stolen), await isActive(theirs)]).toEqual([true, false])
  await notifiedOnce(theirs)
  expect(await logoutTokensOf(stolen)).toEqual([])
})

test.each([
  ['another address', { post_logout_redirect_uri: `${bye}/more` }],
  ['another client', { client_id: 'client_x', post_logout_redirect_uri: bye }],
])('a request with %s ends nothing and redirects nowhere', async (_, parameters) => {
  const login = await logInAt()
  const answer = await browse(system, login.jar, logoutAddress(login, parameters))
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  expect(await isActive(login)).toBe(true)
})

test('a refresh token with offline_access outlives the session, of which its client is told all the same', async () => {
  const login = await logInAt('openid offline_access')
  await browse(system, login.jar, logoutAddress(login))
  const refreshed = await client.refreshTokenGrant(own, login.tokens.refresh_token ?? '')
  expect(refreshed.access_token).toBeTruthy()
  await notifiedOnce(login)
})

test('clients are told when a user logs out here, and when an administrator ends their session', async () => {
  const [here, ended] = [await logInAt(), await logInAt()]
  await submit(system, here.jar, '/auth/logout', {})
  const path = `/admin/api/users/${ended.claims.sub}/sessions/${ended.sid}`
  expect((await asAdministrator(system, root, 'DELETE', path)).status).toBeLessThan(300)
  for (const login of [here, ended]) {
    expect(await isActive(login)).toBe(false)
    await notifiedOnce(login)
  }
})

test('clients are told when their user is disabled', async () => {
  const name = `ann-${Date.now()}`
  const body = { username: name, password: 'a good password for ann' }
  const created = await asAdministrator(system, root, 'POST', '/admin/api/users', body)
  const { user_id: userId } = (await created.json()) as { user_id: string }
  const login = await logInAt('openid', await logIn(system, name, body.password))
  await asAdministrator(system, root, 'PATCH', `/admin/api/users/${userId}`, { disabled: true })
  await notifiedOnce(login)
})

test('discovery names the endpoint and what it can do', () => {
  expect(config.serverMetadata()).toMatchObject({
    end_session_endpoint: `${system.baseUrl}/oauth/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  })
})
