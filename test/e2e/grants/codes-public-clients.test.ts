import { browse } from '@gatehouse/test/browser/browser-login'
import { claimsOf } from '@gatehouse/test/jwt'
import { credentialsOf, expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addPerson,
  codeFor,
  isActive,
  type Person,
  password,
  pkce,
  query,
  redeem,
  redirectUri,
  refresh,
  registerApp,
  tokensOf,
} from '../logins/login-people.ts'

const app = 'https://spa.example'

let system: TestSystem
let client: RegisteredClient
let person: Person
beforeAll(async () => {
  system = await startTestSystem({
    OAUTH2_REFRESH_TOKEN_ENABLED: 'true',
    OAUTH2_PASSWORD_GRANT_ENABLED: 'true',
    OAUTH2_PUBLIC_CLIENTS_ENABLED: 'true',
    OAUTH2_CORS_ORIGINS: app,
  })
  await untilReady(system)
  client = await registerApp(system)
  person = await addPerson(system)
})
afterAll(() => system?.stop())

test('shows in discovery that public clients are allowed', async () => {
  const response = await system.request('/.well-known/openid-configuration')
  expect(await response.json()).toMatchObject({
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
  })
})

describe('a public client', () => {
  const register = () =>
    registerApp(system, {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    })

  test('has no secret, and redeems and refreshes with its client_id only', async () => {
    const { client_id, ...rest } = await register()
    expect(rest).not.toHaveProperty('client_secret')
    const code = await codeFor(system, person, { client_id })
    const tokens = await tokensOf(await redeem(system, { client_id }, code))
    expect(await isActive(system, tokens.access_token)).toBe(true)
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', client_id }
    const next = await tokensOf(await system.form('/oauth/token', form))
    expect(next.refresh_token).not.toBe(tokens.refresh_token)
    expect((await system.form('/oauth/revoke', { token: next.refresh_token ?? '', client_id })).status).toBe(
      200,
    )
    expect(await isActive(system, next.access_token)).toBe(false)
  })

  test('is refused with a secret, as is a confidential client without one', async () => {
    const { client_id } = await register()
    const code = await codeFor(system, person, { client_id })
    for (const secret of ['x', client.client_secret]) {
      const response = await redeem(system, { client_id, client_secret: secret }, code)
      await expectRefusal(response, 401, 'invalid_client')
    }
    const own = await codeFor(system, person, client)
    await expectRefusal(await redeem(system, { client_id: client.client_id }, own), 401, 'invalid_client')
    // Neither code was used up.
    await tokensOf(await redeem(system, { client_id }, code))
    await tokensOf(await redeem(system, credentialsOf(client), own))
  })

  test('gets no token with client_credentials or a password', async () => {
    const { client_id } = await register()
    const forms = [
      { grant_type: 'client_credentials', client_id },
      { grant_type: 'password', client_id, username: person.username, password },
    ]
    for (const form of forms)
      await expectRefusal(await system.form('/oauth/token', form), 401, 'invalid_client')
  })

  test('keeps its tokens when somebody replays its code without the verifier', async () => {
    const { client_id } = await register()
    const code = await codeFor(system, person, { client_id })
    const { access_token } = await tokensOf(await redeem(system, { client_id }, code))
    const guess = { ...code, code_verifier: pkce().verifier }
    await expectRefusal(await redeem(system, { client_id }, guess), 400, 'invalid_grant')
    expect(await isActive(system, access_token)).toBe(true)
    await expectRefusal(await redeem(system, { client_id }, code), 400, 'invalid_grant')
    expect(await isActive(system, access_token)).toBe(false)
  })

  test('needs consent each time on a device, and once on a website', async () => {
    const { client_id } = await registerApp(system, {
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      redirect_uris: [redirectUri, 'com.example.app:/cb'],
    })
    for (const [uri, second] of [
      ['com.example.app:/cb', 200],
      [redirectUri, 302],
    ] as const) {
      await codeFor(system, person, { client_id }, { redirect_uri: uri })
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri: uri,
        code_challenge: pkce().challenge,
        code_challenge_method: 'S256',
      })
      expect((await browse(system, person.jar, `/oauth/authorize?${query}`)).status).toBe(second)
    }
  })
})

describe('a page of another origin', () => {
  const preflight = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  }
  const allowedTo = async (origin: string, path: string, init: RequestInit = {}) => {
    const headers = { origin, ...(init.headers as Record<string, string>) }
    const response = await system.request(path, { redirect: 'manual', ...init, headers })
    await response.text()
    return [
      response.headers.get('access-control-allow-origin'),
      response.headers.get('access-control-allow-credentials'),
    ]
  }

  test('may redeem a code and read the answer when its origin is allowed', async () => {
    const code = await codeFor(system, person, client)
    expect(await allowedTo(app, '/oauth/token', { method: 'OPTIONS', headers: preflight })).toEqual([
      app,
      null,
    ])
    const body = new URLSearchParams({ grant_type: 'authorization_code', ...code, ...credentialsOf(client) })
    const response = await system.request('/oauth/token', { method: 'POST', headers: { origin: app }, body })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, app])
    expect(response.headers.get('vary')).toMatch(/origin/i)
  })

  test.each([
    'https://evil.example',
    'https://spa.example.evil.example',
    'http://spa.example',
    'https://spa.example:8443',
    'null',
  ])('may not read an answer at %s', async (origin) => {
    for (const init of [
      { method: 'OPTIONS', headers: preflight },
      { method: 'POST', body: new URLSearchParams() },
    ]) {
      expect(await allowedTo(origin, '/oauth/token', init)).toEqual([null, null])
    }
  })

  test('may not read pages and form endpoints, even when its origin is allowed', async () => {
    for (const path of ['/oauth/authorize', '/auth/login', '/account', '/admin']) {
      expect(await allowedTo(app, path)).toEqual([null, null])
      expect(await allowedTo(app, path, { method: 'OPTIONS', headers: preflight })).toEqual([null, null])
    }
    for (const path of ['/oauth/consent', '/auth/login', '/auth/logout', '/account/password']) {
      const init = { method: 'POST', body: new URLSearchParams({ a: 'b' }) }
      expect(await allowedTo(app, path, init)).toEqual([null, null])
    }
  })
})

describe('the password grant', () => {
  const ask = (form: Record<string, string>) =>
    system.form('/oauth/token', { grant_type: 'password', ...credentialsOf(client), ...form })

  test('issues a token of the user and a working refresh token', async () => {
    const tokens = await tokensOf(await ask({ username: person.username, password, scope: 'read' }))
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: person.userId, scope: 'read' })
    const next = await tokensOf(await refresh(system, client, tokens.refresh_token ?? ''))
    expect(next.scope).toBe('read')
  })

  test('gives the same error for a wrong password, an unknown user and a disabled one', async () => {
    const gone = await addPerson(system)
    await query(system, 'update identity.users set disabled_at = now() where id = $1', [gone.userId])
    const answers = await Promise.all(
      [
        { username: person.username, password: 'wrong' },
        { username: 'nobody', password },
        { username: gone.username, password },
      ].map(async (form) => {
        const response = await ask(form)
        return [response.status, await response.text()]
      }),
    )
    expect(answers[0]?.[0]).toBe(400)
    expect(answers[0]?.[1]).toContain('"invalid_grant"')
    expect(new Set(answers.map(String)).size).toBe(1)
  })

  test('needs a name, a password and a client with the grant', async () => {
    for (const form of [{ username: person.username }, { password }]) {
      await expectRefusal(await ask(form as Record<string, string>), 400, 'invalid_request')
    }
    const without = await registerApp(system, { grant_types: ['authorization_code'] })
    const form = { username: person.username, password, ...credentialsOf(without) }
    await expectRefusal(await ask(form), 400, 'unauthorized_client')
  })
})
