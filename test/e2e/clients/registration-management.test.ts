import { expectNotStored, expectRefusal, untilReady } from '@gatehouse/test/oauth'
import { sharedTestSystem, type TestSystem } from '@gatehouse/test/system'
import { beforeAll, describe, expect, test } from 'vitest'
import { bearer } from '../administration/admin-world.ts'
import {
  addPerson,
  authorizationRequest,
  codeFor,
  isActive,
  type Person,
  pkce,
  redeem,
  tokensOf,
} from '../logins/login-people.ts'
import { startProvider } from '../openid/openid-world.ts'

const redirectUri = 'https://app.example/cb'

/** The answer of registration in full. */
type Registered = Record<string, unknown> & {
  client_id: string
  client_secret?: string
  registration_client_uri: string
  registration_access_token: string
}

describe('in the profile mcp', () => {
  let system: TestSystem
  let person: Person
  beforeAll(async () => {
    system = await sharedTestSystem({ OAUTH2_PROFILE: 'mcp' })
    await untilReady(system)
    person = await addPerson(system)
  })
  const post = (metadata: unknown) => system.json('/clients/register', metadata)
  async function register(metadata: Record<string, unknown> = {}): Promise<Registered> {
    const response = await post({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      ...metadata,
    })
    expect(response.status).toBe(201)
    expectNotStored(response)
    return (await response.json()) as Registered
  }
  const manage = (
    client: Registered,
    method: string,
    body?: object,
    token = client.registration_access_token,
  ) =>
    system.request(new URL(client.registration_client_uri).pathname, {
      method,
      headers: { ...bearer(token), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })

  test('discovery names the registration endpoint', async () => {
    for (const name of ['openid-configuration', 'oauth-authorization-server'])
      expect(await (await system.request(`/.well-known/${name}`)).json()).toMatchObject({
        registration_endpoint: expect.stringMatching(/\/clients\/register$/),
      })
  })

  test('a client registers with all of its metadata, and reads what it got', async () => {
    const client = await register({
      client_name: 'Editor',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code', 'token'],
      redirect_uris: ['cursor://anysphere/cb', 'http://localhost:3000/cb'],
      scope: 'openid mcp:tools',
      logo_uri: null,
      something_else: { unknown: true },
    })
    expect(client).toMatchObject({
      client_name: 'Editor',
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['cursor://anysphere/cb', 'http://localhost:3000/cb'],
      scope: 'openid',
      token_endpoint_auth_method: 'none',
    })
    expect(client).not.toHaveProperty('client_secret')
    expect(client.registration_client_uri).toMatch(new RegExp(`/clients/register/${client.client_id}$`))
  })

  test.each<[string, unknown, string]>([
    ['redirect_uris', { redirect_uris: 'https://app.example/cb' }, 'invalid_redirect_uri'],
    ['redirect_uris', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['redirect_uris', {}, 'invalid_redirect_uri'],
    ['grant_types', { redirect_uris: [redirectUri], grant_types: 'implicit' }, 'invalid_client_metadata'],
    ['client_name', { redirect_uris: [redirectUri], client_name: 7 }, 'invalid_client_metadata'],
    ['the body', [], 'invalid_client_metadata'],
  ])('a fault of %s has its code', async (_field, metadata, code) => {
    await expectRefusal(await post(metadata), 400, code)
  })

  test('a client replaces its registration, which counts at once', async () => {
    const client = await register({ client_name: 'Editor', client_uri: 'https://app.example/' })
    const other = 'https://app.example/other'
    const response = await manage(client, 'PUT', { client_id: client.client_id, redirect_uris: [other] })
    expect(response.status).toBe(200)
    expectNotStored(response)
    const replaced = await response.json()
    expect(replaced).toMatchObject({
      client_name: client.client_id,
      redirect_uris: [other],
      token_endpoint_auth_method: 'none',
      registration_client_uri: client.registration_client_uri,
      registration_access_token: client.registration_access_token,
    })
    expect(replaced).not.toHaveProperty('client_uri')
    expect(await (await manage(client, 'GET')).json()).toEqual(replaced)
    const request = new URLSearchParams(authorizationRequest(client, pkce().challenge))
    await expectRefusal(await system.request(`/oauth/authorize?${request}`), 400, 'invalid_request')
  })

  test.each<[string, (client: Registered) => object]>([
    ['no client_id', () => ({ redirect_uris: [redirectUri] })],
    ['another client_id', () => ({ client_id: 'client_other', redirect_uris: [redirectUri] })],
    ['its token', (client) => ({ ...client })],
    [
      'the expiry of its secret',
      ({ client_id }) => ({ client_id, redirect_uris: [redirectUri], client_secret_expires_at: 0 }),
    ],
    [
      'a secret of its own',
      ({ client_id }) => ({ client_id, redirect_uris: [redirectUri], client_secret: 'chosen' }),
    ],
    [
      'another kind',
      ({ client_id }) => ({
        client_id,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    ],
  ])('a replacement with %s is refused', async (_what, bodyOf) => {
    const client = await register()
    await expectRefusal(await manage(client, 'PUT', bodyOf(client)), 400, 'invalid_client_metadata')
  })

  test('nobody manages a client without its token', async () => {
    const [client, other] = [await register(), await register()]
    const path = new URL(client.registration_client_uri).pathname
    await expectRefusal(await system.request(path), 401, 'invalid_token')
    for (const token of [other.registration_access_token, 'x']) {
      for (const method of ['GET', 'DELETE']) {
        const response = await manage(client, method, undefined, token)
        expect(response.headers.get('www-authenticate')).toContain('Bearer')
        await expectRefusal(response, 401, 'invalid_token')
      }
    }
  })

  test('a client that deletes itself loses its codes, tokens and registration at once', async () => {
    const client = await register({ scope: 'read', grant_types: ['authorization_code', 'refresh_token'] })
    const { client_id } = client
    const tokens = await tokensOf(await redeem(system, { client_id }, await codeFor(system, person, client)))
    const code = await codeFor(system, person, client)
    const response = await manage(client, 'DELETE')
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(await isActive(system, tokens.access_token)).toBe(false)
    await expectRefusal(await redeem(system, { client_id }, code), 401, 'invalid_client')
    await expectRefusal(await manage(client, 'GET'), 401, 'invalid_token')
  })
})

test('in the profile openid registration is closed, which discovery and the answer say', async () => {
  const { system } = await startProvider()
  await untilReady(system)
  const description = await expectRefusal(
    await system.json('/clients/register', { redirect_uris: [redirectUri] }),
    403,
    'access_denied',
  )
  expect(description).toContain('ask an administrator')
  for (const name of ['openid-configuration', 'oauth-authorization-server'])
    expect(await (await system.request(`/.well-known/${name}`)).json()).not.toHaveProperty(
      'registration_endpoint',
    )
})

test('in the profile interface a client cannot manage itself', async () => {
  const system = await sharedTestSystem()
  await untilReady(system)
  const client = await system.register()
  expect(Object.keys(client).filter((name) => name.startsWith('registration'))).toEqual([])
  await expectRefusal(await system.request(`/clients/register/${client.client_id}`), 404, 'not_found')
})
