import { describe, expect, test } from 'vitest'
import type { ServiceState, SystemState } from '../../src/system/system-state.ts'
import { client, errorOf, gateway, issuer } from '../../testing/gateway.ts'

const inForm = 'client_id=client_a&client_secret=secret'
const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' }

describe('POST /clients/register', () => {
  const metadata = { client_name: 'Acme', redirect_uris: ['https://app.example/cb'] }

  test('answers 201 with the client and its secret', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/clients/register', metadata)
    expect([answer.status, answer.headers]).toMatchObject([201, notStored])
    expect(JSON.parse(answer.text)).toEqual({
      client_id: client.clientId,
      client_secret: 'the secret',
      client_name: 'Acme',
      redirect_uris: ['https://app.example/cb'],
      grant_types: ['authorization_code'],
      scope: 'read',
      token_endpoint_auth_method: 'client_secret_basic',
      created_at: '2030-01-01T00:00:00.900Z',
      client_id_issued_at: Date.parse('2030-01-01T00:00:00Z') / 1000,
      client_secret_expires_at: 0,
    })
    expect(calls).toEqual([
      {
        name: 'registerClient',
        request: {
          clientName: 'Acme',
          redirectUris: ['https://app.example/cb'],
          grantTypes: [],
          scope: undefined,
          tokenEndpointAuthMethod: undefined,
          metadata: {},
        },
      },
    ])
  })

  test.each([
    ['a name that is not a text', { client_name: 1 }, 'client_name'],
    ['redirect URIs that are not a list', { redirect_uris: 'https://app.example' }, 'redirect_uris'],
    ['a redirect URI that is not a text', { redirect_uris: ['https://app.example', 1] }, 'redirect_uris'],
    ['grants that are not a list', { grant_types: 'client_credentials' }, 'grant_types'],
    ['a scope that is a list', { scope: ['read'] }, 'scope'],
  ])('refuses %s with the name of the field', async (_, body, field) => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/clients/register', body)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain(field)
    expect(answer.headers).toMatchObject(notStored)
    expect(calls).toEqual([])
  })

  test.each([[[]], ['text'], [1], [null]])('refuses %j, which is not an object', async (body) => {
    const { send } = await gateway()
    const answer = await send('POST', '/clients/register', undefined, {})
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    const json = { 'content-type': 'application/json' }
    const other = await send('POST', '/clients/register', JSON.stringify(body), json)
    expect([other.status, errorOf(other)]).toEqual([400, 'invalid_request'])
  })

  test('accepts only JSON', async () => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/clients/register', 'client_name=Acme')
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(calls).toEqual([])
  })

  test('answers 403 to everybody if registration is closed', async () => {
    const { send, calls } = await gateway({ registration: { mode: 'closed', token: undefined } })
    const answer = await send('POST', '/clients/register', metadata)
    expect([answer.status, errorOf(answer)]).toEqual([403, 'access_denied'])
    expect(calls).toEqual([])
  })

  test('is open to callers with the token if registration needs one', async () => {
    const secret = 'x'.repeat(32)
    const { send, calls } = await gateway({ registration: { mode: 'token', token: secret } })
    for (const authorization of [undefined, '', 'Bearer ', 'Bearer wrong', secret, `Basic ${secret}`]) {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await send('POST', '/clients/register', metadata, headers)
      expect([answer.status, errorOf(answer)]).toEqual([401, 'invalid_token'])
      // RFC 6750 section 3.1: only a caller who presented a token learns that it is wrong.
      const error = authorization === 'Bearer wrong' ? ', error="invalid_token"' : ''
      expect(answer.headers['www-authenticate']).toBe(`Bearer realm="gatehouse"${error}`)
    }
    expect(calls).toEqual([])
    const answer = await send('POST', '/clients/register', metadata, { authorization: `Bearer ${secret}` })
    expect(answer.status).toBe(201)
  })

  test('is open to nobody if registration needs a token and none is configured', async () => {
    const { send } = await gateway({ registration: { mode: 'token', token: undefined } })
    for (const headers of [{}, { authorization: 'Bearer ' }, { authorization: 'Bearer undefined' }]) {
      expect((await send('POST', '/clients/register', metadata, headers)).status).toBe(401)
    }
  })
})

describe('discovery', () => {
  const path = '/.well-known/openid-configuration'

  test('the document is as documented, whatever the Host header says', async () => {
    const { send } = await gateway()
    const answer = await send('GET', path, undefined, {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    })
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toMatchObject({
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
      scopes_supported: ['read', 'write'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      code_challenge_methods_supported: ['S256'],
    })
  })

  test('the other document names the registration endpoint unless registration is closed', async () => {
    const other = '/.well-known/oauth-authorization-server'
    const open = JSON.parse((await (await gateway()).send('GET', other)).text)
    expect(open.registration_endpoint).toBe(`${issuer}/clients/register`)
    const { send } = await gateway({ registration: { mode: 'closed', token: undefined } })
    expect(JSON.parse((await send('GET', other)).text)).not.toHaveProperty('registration_endpoint')
  })

  test('no symmetric key is published', async () => {
    const { send } = await gateway()
    expect((await send('GET', '/.well-known/jwks.json')).text).toBe('{"keys":[]}')
  })
})

describe('health', () => {
  const system = (token: ServiceState, database: boolean) => {
    const state: SystemState = { services: { token, events: 'available' }, database }
    return { last: () => state, look: async () => state }
  }
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  test.each([
    ['available', true, 'healthy', 'connected'],
    ['unavailable', true, 'degraded', 'connected'],
    ['database_unavailable', false, 'degraded', 'disconnected'],
  ] as const)(
    'with a service %s and the database %s, /health is 200 with %s, %s and the name of the service',
    async (token, database, status, of) => {
      const { send } = await gateway({ system: system(token, database) })
      const answer = await send('GET', '/health')
      expect(answer.status).toBe(200)
      const services = { token, events: 'available' }
      expect(JSON.parse(answer.text)).toEqual({ status, database: of, version: '1.2.3', services, timestamp })
    },
  )

  test('/health does not wait for a new check', async () => {
    const look = () => new Promise<never>(() => undefined)
    const { send } = await gateway({ system: { ...system('available', true), look } })
    expect((await send('GET', '/health')).status).toBe(200)
  })

  test.each([
    ['available', true, 200, true, 'ready'],
    ['unavailable', true, 503, false, 'ready'],
    ['database_unavailable', false, 503, false, 'unavailable'],
  ] as const)(
    'with a service %s and the database %s, /ready is %i and names the service',
    async (token, database, status, ready, of) => {
      const { send } = await gateway({ system: system(token, database) })
      const answer = await send('GET', '/ready')
      expect(answer.status).toBe(status)
      const services = { token, events: 'available' }
      expect(JSON.parse(answer.text)).toEqual({ ready, database: of, services, timestamp })
    },
  )
})

describe('the rest', () => {
  test('/metrics is text and counts the answered requests by route, never by path', async () => {
    const { send } = await gateway({})
    await send('GET', '/health')
    await send('GET', '/nobody/knows/this?secret=hunter2')
    await send('POST', '/oauth/token', 'x')
    const { status, headers, text } = await send('GET', '/metrics')
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(text).toMatch(
      /^oauth2_server_http_requests_total\{method="GET",route="\/health",status="200"\} 1$/m,
    )
    expect(text).toMatch(/^oauth2_server_http_requests_total\{.*route="\/oauth\/token",status="400"\} 1$/m)
    expect(text).toMatch(/^oauth2_server_http_requests_total\{.*status="404"\} 1$/m)
    expect(text).toMatch(
      /^oauth2_server_http_request_duration_seconds_count\{method="GET",route="\/health"\} 1$/m,
    )
    expect(text).not.toMatch(/hunter2|nobody/)
  })

  test('if eventing is off, /events/health shows that and ingest refuses before it reads anything', async () => {
    const { send } = await gateway()
    const health = await send('GET', '/events/health')
    expect([health.status, health.text]).toEqual([200, '{"enabled":false,"plugins":[]}'])
    for (const body of [{ event: {} }, 'not json', 'x'.repeat(100_000)]) {
      const answer = await send('POST', '/events/ingest', body, { 'content-type': 'application/json' })
      expect([answer.status, answer.text]).toEqual([503, '{"error":"eventing_disabled"}'])
    }
  })

  test('the API page and its document exist, with every documented route', async () => {
    const { send } = await gateway()
    const page = await send('GET', '/swagger-ui')
    expect([page.status, page.headers['content-type']]).toEqual([200, expect.stringContaining('text/html')])
    const { openapi, paths } = JSON.parse((await send('GET', '/openapi.json')).text)
    expect(openapi).toMatch(/^3\.1/)
    for (const path of [
      '/oauth/token',
      '/oauth/introspect',
      '/oauth/revoke',
      '/clients/register',
      '/health',
    ]) {
      expect(paths).toHaveProperty([path])
    }
  })

  test('pages of other origins may read discovery, and the rest only if they are configured', async () => {
    const origin = 'https://spa.example'
    const form = `grant_type=client_credentials&${inForm}`
    const servers = new Map<string, ReturnType<typeof gateway>>()
    const allowed = async (corsOrigins: string[], method: 'GET' | 'POST', path: string, body?: string) => {
      const key = corsOrigins.join(' ')
      servers.set(key, servers.get(key) ?? gateway({ corsOrigins }))
      const { send } = (await servers.get(key)) ?? expect.unreachable('no server')
      return (await send(method, path, body, { origin })).headers['access-control-allow-origin']
    }
    expect(await allowed([], 'GET', '/.well-known/openid-configuration')).toBe('*')
    expect(await allowed([], 'GET', '/.well-known/jwks.json')).toBe('*')
    expect(await allowed([], 'POST', '/oauth/token', form)).toBeUndefined()
    expect(await allowed([origin], 'POST', '/oauth/token', form)).toBe(origin)
    expect(await allowed(['https://other.example'], 'POST', '/oauth/token', form)).not.toBe(origin)
    expect(await allowed([origin], 'GET', '/admin')).toBeUndefined()
    expect(await allowed([origin], 'GET', '/health')).toBeUndefined()
  })
})
