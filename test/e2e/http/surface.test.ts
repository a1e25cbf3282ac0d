import { credentialsOf, expectRefusal, introspectionOf, untilReady } from '@gatehouse/test/oauth'
import { converse, rawRequest } from '@gatehouse/test/raw-http'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
let client: RegisteredClient
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await system.register()
})

describe('addresses and methods', () => {
  test.each(['/nothing', '/oauth', '/oauth/token/x', '/.well-known/nothing', '/events'])(
    '%s is not_found, whatever the method',
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
    ['POST', '/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/.well-known/jwks.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/health', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['GET', '/events/ingest?a=b', 'POST'],
    ['POST', '/oauth/authorize', 'GET, HEAD'],
    ['GET', '/oauth/consent', 'POST'],
    ['GET', '/auth/logout', 'POST'],
    ['PUT', '/auth/login', 'GET, HEAD, POST'],
    ['POST', '/account', 'GET, HEAD'],
    ['DELETE', '/admin', 'GET, HEAD'],
  ])('%s %s is method_not_allowed and allows %s', async (method, path, allowed) => {
    const response = await system.request(path, { method })
    expect(response.headers.get('allow')).toBe(allowed)
    await expectRefusal(response, 405, 'method_not_allowed')
  })
})

describe('discovery', () => {
  test('has every documented field, with addresses below the issuer', async () => {
    const response = await system.request('/.well-known/openid-configuration')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/json/),
    ])
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

  test('and tokens do not depend on Host and X-Forwarded-*', async () => {
    const spoofed = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      'x-forwarded-prefix': '/evil',
      forwarded: 'host=evil.example;proto=https',
    }
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
      '/openapi.json',
    ]) {
      const plain = await (await system.request(path)).text()
      const { answers } = await converse(system.baseUrl, rawRequest('GET', path, spoofed))
      expect(await answers[0]?.text()).toBe(plain)
      const absolute = await converse(
        system.baseUrl,
        rawRequest('GET', `http://evil.example${path}`, spoofed),
      )
      expect(await absolute.answers[0]?.text()).not.toContain('evil.example')
    }
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      ...credentialsOf(client),
    }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const { answers } = await converse(
      system.baseUrl,
      rawRequest('POST', '/oauth/token', { ...spoofed, ...type }, body),
    )
    const { access_token } = JSON.parse((await answers[0]?.text()) ?? '')
    const { iss, aud } = JSON.parse(await introspectionOf(system, access_token))
    expect([iss, aud]).toEqual([system.baseUrl, system.baseUrl])
  })

  test('publishes no key', async () => {
    const response = await system.request('/.well-known/jwks.json')
    expect([response.status, await response.text()]).toEqual([200, '{"keys":[]}'])
  })

  test('may be read by pages of every origin, but registration and tokens by none', async () => {
    const origin = { origin: 'https://app.example' }
    const allowed = async (path: string, init: RequestInit) => {
      const response = await system.request(path, init)
      await response.text()
      return response.headers.get('access-control-allow-origin')
    }
    expect(await allowed('/.well-known/openid-configuration', { headers: origin })).toBe('*')
    expect(await allowed('/.well-known/oauth-authorization-server', { headers: origin })).toBe('*')
    expect(await allowed('/.well-known/jwks.json', { headers: origin })).toBe('*')
    const preflight = {
      ...origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    }
    for (const path of [
      '/clients/register',
      '/oauth/token',
      '/oauth/introspect',
      '/oauth/revoke',
      '/health',
      '/metrics',
    ]) {
      expect(await allowed(path, { headers: origin })).toBeNull()
      expect(await allowed(path, { method: 'POST', headers: origin })).toBeNull()
      expect(await allowed(path, { method: 'OPTIONS', headers: preflight })).toBeNull()
    }
  })
})

describe('health', () => {
  const available = 'available'
  const services = { token: available, 'client-registry': available, identity: available, events: available }
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  test('reports the state of the system', async () => {
    const response = await system.request('/health')
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        status: 'healthy',
        database: 'connected',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        services,
        timestamp,
      },
    ])
  })

  test('and readiness reports whether it can serve', async () => {
    const response = await system.request('/ready')
    expect([response.status, await response.json()]).toEqual([
      200,
      { ready: true, database: 'ready', services, timestamp },
    ])
  })

  test('of events says that they are disabled, and no event is accepted', async () => {
    const health = await system.request('/events/health')
    expect([health.status, await health.json()]).toEqual([200, { enabled: false, plugins: [] }])
    const ingested = await system.json('/events/ingest', { event: { event_type: 'a' } })
    expect([ingested.status, await ingested.text()]).toEqual([503, '{"error":"eventing_disabled"}'])
  })
})
