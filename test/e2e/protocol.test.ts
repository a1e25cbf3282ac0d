import {
  basic,
  credentialsOf,
  expectNotStored,
  expectRefusal,
  introspectionOf,
  issueToken,
  untilReady,
} from '@gatehouse/test/oauth'
import { converse, rawRequest } from '@gatehouse/test/raw-http'
import { type RegisteredClient, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
let client: RegisteredClient
let other: RegisteredClient
beforeAll(async () => {
  system = await startTestSystem()
  await untilReady(system)
  client = await system.register()
  other = await system.register()
})
afterAll(() => system?.stop())

const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  system.form('/oauth/token', { grant_type: 'client_credentials', ...parameters }, headers)
const wrongSecret = 'A'.repeat(43)

describe('grant_type', () => {
  test('is required, and empty is missing', async () => {
    const description = await expectRefusal(await system.form('/oauth/token', credentialsOf(client)), 400, 'invalid_request')
    expect(description).toContain('grant_type')
    await expectRefusal(await ask({ grant_type: '', ...credentialsOf(client) }), 400, 'invalid_request')
  })

  test.each([
    'refresh_token',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'CLIENT_CREDENTIALS',
    'client_credentials ',
    '__proto__',
    'toString',
  ])('%s is unsupported, whoever asks', async (grantType) => {
    const wrong = { client_id: client.client_id, client_secret: wrongSecret }
    for (const credentials of [credentialsOf(client), wrong, {}]) {
      const response = await ask({ grant_type: grantType, ...credentials })
      expect(response.headers.get('www-authenticate')).toBeNull()
      await expectRefusal(response, 400, 'unsupported_grant_type')
    }
  })
})

describe('client authentication', () => {
  test('no credentials are invalid_client, without a challenge', async () => {
    const response = await ask({})
    expect(response.headers.get('www-authenticate')).toBeNull()
    await expectRefusal(response, 401, 'invalid_client')
  })

  test('a wrong secret, an unknown client and half of the credentials get the same answer', async () => {
    const attempts = [
      { client_id: client.client_id, client_secret: wrongSecret },
      { client_id: client.client_id, client_secret: other.client_secret },
      { client_id: 'client_00000000-0000-4000-8000-000000000000', client_secret: client.client_secret },
      { client_id: client.client_id },
      { client_secret: client.client_secret },
    ]
    const descriptions = new Set<string>()
    for (const attempt of attempts) {
      const response = await ask(attempt as Record<string, string>)
      expect(response.headers.get('www-authenticate')).toBeNull()
      descriptions.add(await expectRefusal(response, 401, 'invalid_client'))
    }
    expect(descriptions.size).toBe(1)
  })

  test('by Basic a failure carries the challenge', async () => {
    const response = await ask({}, basic(client.client_id, wrongSecret))
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
    await expectRefusal(response, 401, 'invalid_client')
  })

  test('by Basic it succeeds, raw and form-encoded, whatever the case of the scheme', async () => {
    const { client_id, client_secret } = client
    const escaped = (text: string) => text.replace(/[-_]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
    const basicHeader = basic(client_id, client_secret).authorization
    for (const authorization of [
      basicHeader,
      basicHeader.replace('Basic', 'bASIC'),
      basic(escaped(client_id), escaped(client_secret)).authorization,
    ]) {
      expect((await ask({}, { authorization })).status).toBe(200)
    }
  })

  test('by Basic and in the body at once it needs equal values', async () => {
    const header = basic(client.client_id, client.client_secret)
    expect((await ask(credentialsOf(client), header)).status).toBe(200)
    expect((await ask({ client_id: client.client_id }, header)).status).toBe(200)
    await expectRefusal(await ask(credentialsOf(other), header), 400, 'invalid_request')
    await expectRefusal(await ask({ client_id: other.client_id }, header), 400, 'invalid_request')
    await expectRefusal(await ask({ client_secret: wrongSecret }, header), 400, 'invalid_request')
  })

  test('a client cannot use a grant that it is not registered for', async () => {
    const web = await system.register({ redirect_uris: ['https://app.example/cb'] })
    await expectRefusal(await ask(credentialsOf(web)), 400, 'unauthorized_client')
  })
})

describe('scope', () => {
  test.each([
    'admin',
    'read admin',
    'readwrite',
    'READ',
    'read  write',
    ' read',
    'read ',
    ' ',
    'read\twrite',
    'read\nwrite',
    'read,write',
    'read"',
    'read\\',
    'réad',
    'profile',
    '__proto__',
  ])('%j is refused as a whole', async (scope) => {
    await expectRefusal(await ask({ ...credentialsOf(client), scope }), 400, 'invalid_scope')
  })

  test.each([
    [undefined, 'read write'],
    ['', 'read write'],
    ['read', 'read'],
    ['write read', 'write read'],
  ])('%j gives exactly %j, in the answer and in the token', async (asked, granted) => {
    const response = await ask({ ...credentialsOf(client), ...(asked !== undefined && { scope: asked }) })
    const body = (await response.json()) as Record<string, unknown>
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: granted,
    })
    const introspected = JSON.parse(await introspectionOf(system, String(body.access_token)))
    expect(introspected.scope).toBe(granted)
  })
})

describe('introspection', () => {
  test('needs no credentials, but those that are sent must be right', async () => {
    const token = await issueToken(system, client)
    const introspect = (parameters: Record<string, string>, headers = {}) =>
      system.form('/oauth/introspect', { token, ...parameters }, headers)
    const plain = await introspect({})
    const authenticated = await introspect(credentialsOf(other))
    expect(await authenticated.json()).toEqual(await plain.json())

    const inBody = await introspect({ client_id: client.client_id, client_secret: wrongSecret })
    expect(inBody.headers.get('www-authenticate')).toBeNull()
    await expectRefusal(inBody, 401, 'invalid_client')
    await expectRefusal(await introspect({ client_id: client.client_id }), 401, 'invalid_client')
    const inHeader = await introspect({}, basic(client.client_id, wrongSecret))
    expect(inHeader.headers.get('www-authenticate')).toMatch(/^Basic /)
    await expectRefusal(inHeader, 401, 'invalid_client')
    await expectRefusal(await introspect(credentialsOf(other), basic(client.client_id, client.client_secret)), 400, 'invalid_request')
  })

  test('of an active token has every field of the interface, with times that fit', async () => {
    const before = Math.floor(Date.now() / 1000)
    const token = await issueToken(system, client, 'read')
    const body = JSON.parse(await introspectionOf(system, token))
    expect(body).toEqual({
      active: true,
      scope: 'read',
      client_id: client.client_id,
      username: client.client_id,
      sub: client.client_id,
      token_type: 'Bearer',
      iss: system.baseUrl,
      aud: system.baseUrl,
      jti: expect.any(String),
      exp: body.iat + 3600,
      iat: expect.any(Number),
    })
    expect(body.iat).toBeGreaterThanOrEqual(before)
    expect(body.iat).toBeLessThanOrEqual(before + 2)
  })

  test('needs a token', async () => {
    const description = await expectRefusal(await system.form('/oauth/introspect', {}), 400, 'invalid_request')
    expect(description).toContain('token')
  })
})

describe('revocation', () => {
  const revoke = (parameters: Record<string, string>, headers = {}) => system.form('/oauth/revoke', parameters, headers)

  test('answers 200 {} for any token of nobody, and for one that is revoked already', async () => {
    const token = await issueToken(system, client)
    for (const presented of ['nonsense', 'a.b.c', token, token]) {
      const response = await revoke({ token: presented, token_type_hint: 'refresh_token', ...credentialsOf(client) })
      expect(response.headers.get('content-type')).toMatch(/^application\/json/)
      expect([response.status, await response.text()]).toEqual([200, '{}'])
    }
    expect(await introspectionOf(system, token)).toBe('{"active":false}')
  })

  test("leaves another client's token alone and says so", async () => {
    const token = await issueToken(system, client)
    await expectRefusal(await revoke({ token, ...credentialsOf(other) }), 400, 'unauthorized_client')
    expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
  })

  test('needs credentials, right ones, and a token', async () => {
    const token = await issueToken(system, client)
    await expectRefusal(await revoke({ token }), 401, 'invalid_client')
    const wrong = await revoke({ token }, basic(client.client_id, wrongSecret))
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
    await expectRefusal(wrong, 401, 'invalid_client')
    expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
    await expectRefusal(await revoke(credentialsOf(client)), 400, 'invalid_request')
  })
})

describe('what is never stored', () => {
  const form = (body: string) => ({ 'content-type': 'application/x-www-form-urlencoded', body })
  const bodies: Record<string, { 'content-type': string; body: string }> = {
    'an empty form': form(''),
    'a malformed escape': form('a=%zz'),
    'a repeated parameter': form('token=a&token=b'),
    'a body that is too large': form('a'.repeat(65_537)),
    'a wrong type': { 'content-type': 'text/xml', body: '<a/>' },
    'malformed JSON': { 'content-type': 'application/json', body: '{' },
  }
  const paths = ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/clients/register']
  test.each(paths.flatMap((path) => Object.keys(bodies).map((name) => [path, name])))(
    '%s refusing %s',
    async (path, name) => {
      const { body, ...headers } = bodies[name as string] as { 'content-type': string; body: string }
      const response = await system.request(path as string, { method: 'POST', headers, body })
      await response.text()
      expect(response.status).toBeGreaterThanOrEqual(400)
      expectNotStored(response)
    },
  )

  test('answers with tokens, secrets and claims, and refusals of clients', async () => {
    const token = await issueToken(system, client)
    const answers = [
      await ask(credentialsOf(client)),
      await ask({}),
      await ask({ ...credentialsOf(client), scope: 'admin' }),
      await ask({ grant_type: 'password' }),
      await system.form('/oauth/introspect', { token }),
      await system.form('/oauth/introspect', { token: 'nonsense' }),
      await system.form('/oauth/introspect', { token, ...basic('a', 'b') }),
      await system.form('/oauth/revoke', { token, ...credentialsOf(client) }),
      await system.form('/oauth/revoke', { token }),
      await system.json('/clients/register', { grant_types: ['client_credentials'] }),
      await system.json('/clients/register', { grant_types: ['nonsense'] }),
      await system.request('/oauth/token'),
    ]
    for (const answer of answers) {
      await answer.text()
      expectNotStored(answer)
    }
  })
})

describe('addresses and methods', () => {
  test.each(['/', '/nothing', '/oauth', '/oauth/token/x', '/.well-known/nothing', '/events'])(
    'nothing at %s is not_found, whatever the method',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        await expectRefusal(await system.request(path, { method }), 404, 'not_found')
      }
    },
  )

  test.each([
    ['GET', '/oauth/token', 'POST'],
    ['PUT', '/oauth/introspect', 'POST'],
    ['DELETE', '/oauth/revoke', 'POST'],
    ['PATCH', '/clients/register', 'POST'],
    ['POST', '/.well-known/openid-configuration', 'GET, HEAD'],
    ['DELETE', '/.well-known/jwks.json', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['GET', '/events/ingest?a=b', 'POST'],
  ])('%s %s is method_not_allowed and says %s', async (method, path, allowed) => {
    const response = await system.request(path, { method })
    expect(response.headers.get('allow')).toBe(allowed)
    await expectRefusal(response, 405, 'method_not_allowed')
  })
})

describe('discovery', () => {
  test('has every field of the interface, with addresses below the issuer', async () => {
    const response = await system.request('/.well-known/openid-configuration')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
    const issuer = system.baseUrl
    expect(await response.json()).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'client_credentials'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['HS256'],
      scopes_supported: ['read', 'write', 'profile', 'email'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
    })
  })

  test('and tokens do not care what Host and X-Forwarded-* say', async () => {
    const spoofed = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=https',
    }
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/openapi.json']) {
      const plain = await (await system.request(path)).text()
      const { answers } = await converse(system.baseUrl, rawRequest('GET', path, spoofed))
      expect(await answers[0]?.text()).toBe(plain)
      const absolute = await converse(system.baseUrl, rawRequest('GET', `http://evil.example${path}`, spoofed))
      expect(await absolute.answers[0]?.text()).not.toContain('evil.example')
    }
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentialsOf(client) }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const { answers } = await converse(system.baseUrl, rawRequest('POST', '/oauth/token', { ...spoofed, ...type }, body))
    const { access_token } = JSON.parse((await answers[0]?.text()) ?? '')
    const { iss, aud } = JSON.parse(await introspectionOf(system, access_token))
    expect([iss, aud]).toEqual([system.baseUrl, system.baseUrl])
  })

  test('publishes no key', async () => {
    const response = await system.request('/.well-known/jwks.json')
    expect([response.status, await response.text()]).toEqual([200, '{"keys":[]}'])
  })

  test('may be read by pages of every origin, registration and tokens by none', async () => {
    const origin = { origin: 'https://app.example' }
    const allowed = async (path: string, init: RequestInit) => {
      const response = await system.request(path, init)
      await response.text()
      return response.headers.get('access-control-allow-origin')
    }
    expect(await allowed('/.well-known/openid-configuration', { headers: origin })).toBe('*')
    expect(await allowed('/.well-known/oauth-authorization-server', { headers: origin })).toBe('*')
    expect(await allowed('/.well-known/jwks.json', { headers: origin })).toBe('*')
    const preflight = { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' }
    for (const path of ['/clients/register', '/oauth/token', '/oauth/introspect', '/oauth/revoke', '/health', '/metrics']) {
      expect(await allowed(path, { headers: origin })).toBeNull()
      expect(await allowed(path, { method: 'POST', headers: origin })).toBeNull()
      expect(await allowed(path, { method: 'OPTIONS', headers: preflight })).toBeNull()
    }
  })
})

describe('health', () => {
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  test('says how the system is', async () => {
    const response = await system.request('/health')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'healthy', database: 'connected', version: expect.stringMatching(/^\d+\.\d+\.\d+/), timestamp },
    ])
  })

  test('and readiness says whether it can work', async () => {
    const response = await system.request('/ready')
    expect([response.status, await response.json()]).toEqual([200, { ready: true, database: 'ready', timestamp }])
  })

  test('of events says that there are none, and nothing is taken in', async () => {
    const health = await system.request('/events/health')
    expect([health.status, await health.json()]).toEqual([200, { enabled: false, plugins: [] }])
    const ingested = await system.json('/events/ingest', { event: { event_type: 'a' } })
    expect([ingested.status, await ingested.text()]).toEqual([503, '{"error":"eventing_disabled"}'])
  })
})
