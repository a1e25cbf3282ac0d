import {
  basic,
  credentialsOf,
  expectNotStored,
  expectRefusal,
  introspectionOf,
  issueToken,
  untilReady,
} from '@gatehouse/test/oauth'
import { type RegisteredClient, sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'

let system: TestSystem
let client: RegisteredClient
let other: RegisteredClient
beforeAll(async () => {
  system = await sharedTestSystem()
  await untilReady(system)
  client = await system.register()
  other = await system.register()
})

const ask = (parameters: Record<string, string>, headers: Record<string, string> = {}) =>
  system.form('/oauth/token', { grant_type: 'client_credentials', ...parameters }, headers)
const wrongSecret = 'A'.repeat(43)

describe('grant_type', () => {
  test('is required and must not be empty', async () => {
    const description = await expectRefusal(
      await system.form('/oauth/token', credentialsOf(client)),
      400,
      'invalid_request',
    )
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
  ])('%s is unsupported for every caller', async (grantType) => {
    const wrong = { client_id: client.client_id, client_secret: wrongSecret }
    for (const credentials of [credentialsOf(client), wrong, {}]) {
      const response = await ask({ grant_type: grantType, ...credentials })
      expect(response.headers.get('www-authenticate')).toBeNull()
      await expectRefusal(response, 400, 'unsupported_grant_type')
    }
  })
})

describe('client authentication', () => {
  test('refuses missing credentials with invalid_client and a challenge', async () => {
    const response = await ask({})
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
    await expectRefusal(response, 401, 'invalid_client')
  })

  test('gives a wrong secret, an unknown client and half of the credentials the same answer', async () => {
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
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
      descriptions.add(await expectRefusal(response, 401, 'invalid_client'))
    }
    expect(descriptions.size).toBe(1)
  })

  test('answers a failure by Basic with a challenge', async () => {
    const response = await ask({}, basic(client.client_id, wrongSecret))
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="[^"]+"/)
    await expectRefusal(response, 401, 'invalid_client')
  })

  test('accepts Basic, raw and form-encoded, with the scheme in any case', async () => {
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

  test('accepts Basic and the body at once only with equal values', async () => {
    const header = basic(client.client_id, client.client_secret)
    expect((await ask(credentialsOf(client), header)).status).toBe(200)
    expect((await ask({ client_id: client.client_id }, header)).status).toBe(200)
    await expectRefusal(await ask(credentialsOf(other), header), 400, 'invalid_request')
    await expectRefusal(await ask({ client_id: other.client_id }, header), 400, 'invalid_request')
    await expectRefusal(await ask({ client_secret: wrongSecret }, header), 400, 'invalid_request')
  })

  test('refuses a grant for which the client is not registered', async () => {
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
  ])('a request for %j grants exactly %j, in the response and in the token', async (asked, granted) => {
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
  test('needs no credentials, but sent ones must be right', async () => {
    const token = await issueToken(system, client)
    const introspect = (parameters: Record<string, string>, headers = {}) =>
      system.form('/oauth/introspect', { token, ...parameters }, headers)
    const plain = await introspect({})
    const authenticated = await introspect(credentialsOf(other))
    expect(await authenticated.json()).toEqual(await plain.json())

    const inBody = await introspect({ client_id: client.client_id, client_secret: wrongSecret })
    expect(inBody.headers.get('www-authenticate')).toMatch(/^Basic /)
    await expectRefusal(inBody, 401, 'invalid_client')
    await expectRefusal(await introspect({ client_id: client.client_id }), 401, 'invalid_client')
    const inHeader = await introspect({}, basic(client.client_id, wrongSecret))
    expect(inHeader.headers.get('www-authenticate')).toMatch(/^Basic /)
    await expectRefusal(inHeader, 401, 'invalid_client')
    await expectRefusal(
      await introspect(credentialsOf(other), basic(client.client_id, client.client_secret)),
      400,
      'invalid_request',
    )
  })

  test('of an active token has every documented field, with consistent times', async () => {
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
    const description = await expectRefusal(
      await system.form('/oauth/introspect', {}),
      400,
      'invalid_request',
    )
    expect(description).toContain('token')
  })
})

describe('revocation', () => {
  const revoke = (parameters: Record<string, string>, headers = {}) =>
    system.form('/oauth/revoke', parameters, headers)

  test('answers 200 {} for any unknown token, and for one that is already revoked', async () => {
    const token = await issueToken(system, client)
    for (const presented of ['nonsense', 'a.b.c', token, token]) {
      const response = await revoke({
        token: presented,
        token_type_hint: 'refresh_token',
        ...credentialsOf(client),
      })
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

  test('needs right credentials and a token', async () => {
    const token = await issueToken(system, client)
    await expectRefusal(await revoke({ token }), 401, 'invalid_client')
    const wrong = await revoke({ token }, basic(client.client_id, wrongSecret))
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Basic /)
    await expectRefusal(wrong, 401, 'invalid_client')
    expect(JSON.parse(await introspectionOf(system, token)).active).toBe(true)
    await expectRefusal(await revoke(credentialsOf(client)), 400, 'invalid_request')
  })
})

describe('forbids caching of', () => {
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
    'the refusal of %s for %s',
    async (path, name) => {
      const { body, ...headers } = bodies[name as string] as { 'content-type': string; body: string }
      const response = await system.request(path as string, { method: 'POST', headers, body })
      await response.text()
      expect(response.status).toBeGreaterThanOrEqual(400)
      expectNotStored(response)
    },
  )

  test('responses with tokens, secrets and claims, and refusals of clients', async () => {
    const token = await issueToken(system, client)
    const answers = [
      await ask(credentialsOf(client)),
      await ask({}),
      await ask({ ...credentialsOf(client), scope: 'admin' }),
      await ask({ grant_type: 'password' }),
      await system.form('/oauth/introspect', { token }),
      await system.form('/oauth/introspect', { token: 'nonsense' }),
      await system.form('/oauth/introspect', { token }, basic('a', 'b')),
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
