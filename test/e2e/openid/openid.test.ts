import { logIn, submit } from '@gatehouse/test/browser/browser-login'
import { sharedAdmin } from '@gatehouse/test/system'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { expect, test } from 'vitest'
import {
  asAdministrator,
  callback,
  createPerson,
  follow,
  type Provider,
  requestOf,
  startProvider,
} from './openid-world.ts'

const provider: Provider = await startProvider()
const { system, root } = provider
const relyingParty = await provider.createClient()
const config = await provider.configure(relyingParty)

/** Logs in at the client with openid-client, which verifies everything that it can. */
async function logInAt(
  parameters: Record<string, string> = {},
  { jar = new Map(root), at = config }: { jar?: Map<string, string>; at?: client.Configuration } = {},
) {
  const { address, checks } = await requestOf(at, parameters)
  const arrival = await follow(system, jar, address)
  const tokens = await client.authorizationCodeGrant(at, arrival.at, checks)
  return { tokens, claims: tokens.claims() ?? expect.unreachable('no ID token'), jar }
}

/** Sends the browser to the client with a request that is answered without a page. */
async function answerTo(parameters: Record<string, string>, jar = new Map(root), at = config) {
  const { address } = await requestOf(at, parameters)
  return follow(system, jar, address, false)
}
const errorAt = ({ at }: { at: URL }) => at.searchParams.get('error')

test('openid-client logs a user in with its defaults, and gets their claims', async () => {
  const { tokens, claims } = await logInAt()
  expect(claims).toMatchObject({ iss: system.baseUrl, aud: relyingParty.client_id, amr: ['pwd'] })
  expect(Number(claims.exp) - Number(claims.iat)).toBe(300)
  expect(claims).not.toHaveProperty('preferred_username')
  const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
  expect(userinfo).toMatchObject({ sub: claims.sub, preferred_username: sharedAdmin.username })
})

test('an ID token is signed with a published key, and is no access token', async () => {
  const { tokens } = await logInAt()
  const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', system.baseUrl))
  const { protectedHeader } = await jwtVerify(tokens.id_token ?? '', keys, {
    issuer: system.baseUrl,
    audience: relyingParty.client_id,
    algorithms: ['RS256'],
  })
  expect(protectedHeader.typ).not.toBe('at+jwt')
  await expect(
    client.fetchUserInfo(config, tokens.id_token ?? '', client.skipSubjectCheck),
  ).rejects.toMatchObject({
    status: 401,
  })
})

test.each(['ES256', 'PS256', 'EdDSA'])(
  'a client may have its ID tokens signed with %s',
  async (algorithm) => {
    const created = await provider.createClient({ id_token_signed_response_alg: algorithm })
    const at = await provider.configure(created)
    const metadata = { ...created, id_token_signed_response_alg: algorithm }
    const own = new client.Configuration(at.serverMetadata(), created.client_id, metadata)
    client.allowInsecureRequests(own)
    expect((await logInAt({}, { at: own })).claims.sub).toBeTruthy()
  },
)

test('a refreshed ID token keeps user, session and time of the login, without the nonce', async () => {
  const { tokens, claims } = await logInAt()
  const refreshed = (await client.refreshTokenGrant(config, tokens.refresh_token ?? '')).claims()
  const { iss, sub, aud, auth_time, sid } = claims
  expect(refreshed).toMatchObject({ iss, sub, aud, auth_time, sid })
  expect(refreshed).not.toHaveProperty('nonce')
})

test('prompt=none answers without a page: a code where all is settled, else an error', async () => {
  await logInAt()
  expect((await answerTo({ prompt: 'none' })).at.searchParams.has('code')).toBe(true)
  expect(errorAt(await answerTo({ prompt: 'none' }, new Map()))).toBe('login_required')
  const fresh = await provider.configure(await provider.createClient())
  expect(errorAt(await answerTo({ prompt: 'none' }, undefined, fresh))).toBe('consent_required')
})

test('prompt=login and max_age make the user log in again, which the ID token tells', async () => {
  // A browser of their own: the old session's cookie is no longer valid afterwards.
  const jar = await logIn(system, sharedAdmin.username, sharedAdmin.password)
  const { claims: before } = await logInAt({}, { jar })
  for (const parameters of [{ prompt: 'login' }, { max_age: '0' }]) {
    const { page } = await answerTo(parameters, jar)
    expect(page).toContain('log in again')
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const { claims: after } = await logInAt({ prompt: 'login' }, { jar })
  expect(Number(after.auth_time)).toBeGreaterThan(Number(before.auth_time))
  expect(after.sid).toBe(before.sid)
  expect((await answerTo({ prompt: 'none', max_age: '3600' }, jar)).at.searchParams.has('code')).toBe(true)
})

test('prompt=select_account lets the user continue with the account that is logged in', async () => {
  const { jar } = await logInAt()
  const { page } = await answerTo({ prompt: 'select_account' }, jar)
  const [, link = ''] = /<a href="(\/oauth\/continue[^"]+)">Continue<\/a>/.exec(page) ?? []
  const arrival = await follow(system, jar, link.replaceAll('&amp;', '&'), false)
  expect(arrival.at.searchParams.has('code')).toBe(true)
})

test('an id_token_hint names the only user that is wanted', async () => {
  const { tokens, jar } = await logInAt()
  const hint = { prompt: 'none', id_token_hint: tokens.id_token ?? '' }
  expect((await answerTo(hint, jar)).at.searchParams.has('code')).toBe(true)
  const other = { prompt: 'none', claims: JSON.stringify({ id_token: { sub: { value: 'somebody else' } } }) }
  expect(errorAt(await answerTo(other, jar))).toBe('login_required')
  const forged = { ...hint, id_token_hint: `${hint.id_token_hint.slice(0, -4)}AAAA` }
  expect(errorAt(await answerTo(forged, jar))).toBe('invalid_request')
})

test('claims that are asked for one by one come in the ID token and from userinfo', async () => {
  const asked = { id_token: { preferred_username: null }, userinfo: { updated_at: { essential: true } } }
  const { tokens, claims } = await logInAt({ scope: 'openid', claims: JSON.stringify(asked) })
  expect(claims.preferred_username).toBe(sharedAdmin.username)
  const userinfo = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
  expect(Object.keys(userinfo).sort()).toEqual(['sub', 'updated_at'])
})

test('errors go to the redirect URI of a client that an administrator made, with state and iss', async () => {
  const { at } = await answerTo({ scope: 'openid admin', state: 'the state' })
  expect([`${at.origin}${at.pathname}`, errorAt({ at })]).toEqual([callback, 'invalid_scope'])
  expect([at.searchParams.get('state'), at.searchParams.get('iss')]).toEqual(['the state', system.baseUrl])
  expect(errorAt(await answerTo({ request: 'e30.e30.' }))).toBe('request_not_supported')
  const elsewhere = await answerTo({ redirect_uri: 'https://evil.example/' })
  expect([elsewhere.at.origin, elsewhere.page]).toEqual([
    system.baseUrl,
    expect.stringContaining('redirect_uri'),
  ])
})

test('a confidential client that an administrator exempted needs no PKCE; any other does', async () => {
  const exempt = await provider.createClient({ require_pkce: false, require_nonce: false })
  const strict = await provider.createClient({ require_pkce: false })
  const plain = (clientId: string) =>
    `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: clientId, redirect_uri: callback, scope: 'openid' })}`
  const code = async () =>
    (await follow(system, new Map(root), plain(exempt.client_id))).at.searchParams.get('code') ?? ''
  const redeem = async (fields: Record<string, string>) => {
    const { client_id, client_secret } = exempt
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: callback,
      client_id,
      client_secret,
      ...fields,
    }
    return (await system.form('/oauth/token', form)).status
  }
  expect(await redeem({ code: await code() })).toBe(200)
  // Without require_nonce: false, a nonce must protect what no challenge does.
  expect(errorAt(await follow(system, new Map(root), plain(strict.client_id), false))).toBe('invalid_request')
  const withNonce = await follow(system, new Map(root), `${plain(strict.client_id)}&nonce=n`)
  expect(withNonce.at.searchParams.has('code')).toBe(true)
  // A code that was requested without a challenge does not take a verifier (RFC 9700 section 2.1.1).
  expect(await redeem({ code: await code(), code_verifier: 'v'.repeat(43) })).toBe(400)
  const refused = await follow(system, new Map(root), plain(relyingParty.client_id), false)
  expect(errorAt(refused)).toBe('invalid_request')
  // With a challenge, the exempted client must send the verifier too.
  const { address } = await requestOf(await provider.configure(exempt))
  const challenged = (await follow(system, new Map(root), address)).at.searchParams.get('code') ?? ''
  expect(await redeem({ code: challenged })).toBe(400)
})

test('a response type is judged before the parameters that depend on it', async () => {
  expect(errorAt(await answerTo({ response_type: 'token', response_mode: 'fragment' }))).toBe(
    'unsupported_response_type',
  )
  const metadata = (await (await system.request('/.well-known/openid-configuration')).json()) as Record<
    string,
    unknown
  >
  expect(metadata.introspection_endpoint_auth_methods_supported).toEqual(
    metadata.token_endpoint_auth_methods_supported,
  )
})

test('a request by POST from another site goes on as a request by GET', async () => {
  const { address } = await requestOf(config)
  const answer = await fetch(new URL('/oauth/authorize', system.baseUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: 'https://rp.example', 'sec-fetch-site': 'cross-site' },
    body: address.searchParams,
  })
  expect([answer.status, answer.headers.get('location')]).toEqual([
    303,
    `/oauth/authorize?${address.searchParams}`,
  ])
})

test('userinfo takes the token in the header or in a form, and refuses any other', async () => {
  const { tokens } = await logInAt()
  const token = tokens.access_token
  const ask = async (init: RequestInit) => {
    const answer = await system.request('/oauth/userinfo', init)
    return [answer.status, answer.headers.get('www-authenticate') ?? '']
  }
  const authorization = `Bearer ${token}`
  const inForm = { method: 'POST', body: new URLSearchParams({ access_token: token }) }
  expect(await ask({ headers: { authorization } })).toEqual([200, ''])
  expect(await ask({ method: 'POST', headers: { authorization } })).toEqual([200, ''])
  expect(await ask(inForm)).toEqual([200, ''])
  expect((await ask({ ...inForm, headers: { authorization } }))[0]).toBe(400)
  expect(await ask({})).toEqual([401, 'Bearer realm="gatehouse"'])
  expect(await ask({ headers: { authorization: 'Bearer x' } })).toEqual([
    401,
    'Bearer realm="gatehouse", error="invalid_token"',
  ])
  const { tokens: without } = await logInWithout('openid')
  expect(await ask({ headers: { authorization: `Bearer ${without.access_token}` } })).toEqual([
    403,
    'Bearer realm="gatehouse", error="insufficient_scope", scope="openid"',
  ])
})

test('userinfo refuses a token for a resource server', async () => {
  const identifier = 'https://files.example'
  const scopes = [{ scope: 'files:list', description: 'List your files' }]
  const server = { identifier, scopes }
  expect((await asAdministrator(system, root, 'POST', '/admin/api/resources', server)).status).toBe(201)
  const created = await provider.createClient({ scope: 'openid files:list' })
  const at = await provider.configure(created)
  const { tokens } = await logInAt({ scope: 'openid files:list', resource: identifier }, { at })
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  expect((await system.request('/oauth/userinfo', { headers })).status).toBe(401)
})

test('userinfo refuses a token at once when its user is disabled or its consent is withdrawn', async () => {
  const { tokens, jar } = await logInAt()
  const status = async () =>
    (await system.request('/oauth/userinfo', { headers: { authorization: `Bearer ${tokens.access_token}` } }))
      .status
  expect(await status()).toBe(200)
  await submit(system, jar, '/account/apps/withdraw', { client_id: relyingParty.client_id })
  expect(await status()).toBe(401)
})

test('claims that are asked for one by one need the user’s consent, and the client’s scope of now', async () => {
  const created = await provider.createClient({ scope: 'openid email' })
  const at = await provider.configure(created)
  const { jar, email } = await createPerson(provider)
  await logInAt({ scope: 'openid' }, { jar, at })
  const claims = JSON.stringify({
    id_token: { email: null, name: null },
    userinfo: { email: null, name: null },
  })
  const silent = { scope: 'openid', claims, prompt: 'none' }
  expect(errorAt(await answerTo(silent, jar, at))).toBe('consent_required')

  const first = await logInAt({ scope: 'openid', claims }, { jar, at })
  expect(first.claims.email).toBe(email)
  // The client may not have the scope profile.
  expect(first.claims).not.toHaveProperty('name')

  const change = async (scope: string) => {
    const path = `/admin/api/clients/${created.client_id}`
    expect((await asAdministrator(system, root, 'PATCH', path, { scope })).status).toBe(200)
  }
  const headers = { authorization: `Bearer ${first.tokens.access_token}` }
  const userinfo = async () => (await system.request('/oauth/userinfo', { headers })).json()
  const { sub } = first.claims
  // The user was not asked about what the client may have since.
  await change('openid email profile')
  expect(await userinfo()).toEqual({ sub, email })
  await change('openid')
  expect(await userinfo()).toEqual({ sub })
  const later = await logInAt({ ...silent }, { jar, at })
  expect(later.claims).not.toHaveProperty('email')
})

/** A login without a scope: no ID token. */
async function logInWithout(_scope: 'openid') {
  const { address, checks } = await requestOf(config, { scope: 'profile' })
  const arrival = await follow(system, new Map(root), address)
  const { expectedNonce: _nonce, idTokenExpected: _expected, ...others } = checks
  return { tokens: await client.authorizationCodeGrant(config, arrival.at, others) }
}
