import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { browse, type CookieJar, logIn, submit } from '@gatehouse/test/browser/browser-login'
import { basic, until } from '@gatehouse/test/oauth'
import { program } from '@gatehouse/test/programs/programs'
import { createCertificateAuthority } from '@gatehouse/test/servers/certificates'
import { freePorts } from '@gatehouse/test/servers/server-process'
import { type RegisteredClient, sharedAdmin, startTestSystem, type TestSystem } from '@gatehouse/test/system'
import * as client from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asAdministrator, createClient, follow, requestOf } from '../../e2e/openid/openid-world.ts'
import { type NginxPorts, startNginx, through } from './nginx.ts'

// The setup of docs/apps/tutorial-nginx.md.

const nginx = await program('nginx')
const openssl = await program('openssl')

type Answer = (request: Request) => Promise<Response>

describe.skipIf(!nginx || !openssl)('nginx in front', () => {
  const ended = new AsyncDisposableStack()
  let ports: NginxPorts
  let ca: Buffer
  /** The system as browsers reach it. */
  let system: TestSystem & { answer: Answer }
  let root: CookieJar
  /** The client of a program that calls the API. */
  let caller: RegisteredClient

  beforeAll(async () => {
    const authority = await createCertificateAuthority(openssl ?? '')
    ended.defer(authority.remove)
    const certificate = await authority.issue(['DNS:auth.example.com', 'DNS:api.example.com'])
    ca = await readFile(certificate.OAUTH2_GRPC_TLS_CA)
    // This API answers with what nginx tells it.
    const api = createServer(({ headers }, response) => response.end(JSON.stringify(headers)))
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
    ended.defer(() => new Promise((resolve) => api.close(() => resolve()).closeAllConnections()))
    const [http = 0, https = 0, gatehouse = 0] = await freePorts(3)
    ports = { http, https, gatehouse, api: (api.address() as AddressInfo).port }

    const started = await startTestSystem({
      OAUTH2_PROFILE: 'openid',
      OAUTH2_SEED_USERNAME: sharedAdmin.username,
      OAUTH2_SEED_PASSWORD: sharedAdmin.password,
      OAUTH2_SERVER_PORT: String(gatehouse),
      OAUTH2_SERVER_PUBLIC_BASE_URL: `https://auth.example.com:${https}`,
      OAUTH2_SERVER_TRUST_PROXY_HEADERS: '127.0.0.1',
    })
    ended.defer(started.stop)
    const directly: Answer = (request) =>
      fetch(new Request(new URL(new URL(request.url).pathname, `http://127.0.0.1:${gatehouse}`), request))
    const before = { ...started, answer: directly }
    root = await logIn(before, sharedAdmin.username, sharedAdmin.password)
    const machine = { grant_types: ['client_credentials'], redirect_uris: [] }
    const asker = await createClient(before, root, { ...machine, scope: 'read' })
    const scopes = ['read', 'write'].map((name) => ({ scope: `photos:${name}`, description: 'Your photos' }))
    const resource = {
      identifier: 'https://api.example.com',
      name: 'Photos',
      scopes,
      client_id: asker.client_id,
    }
    const added = await asAdministrator(before, root, 'POST', '/admin/api/resources', resource)
    expect([added.status, await added.text()]).toEqual([201, expect.any(String)])
    caller = await createClient(before, root, { ...machine, scope: 'photos:read photos:write read' })

    const running = await startNginx(
      nginx ?? '',
      ports,
      certificate,
      basic(asker.client_id, asker.client_secret),
    )
    ended.defer(running.close)
    system = { ...started, answer: through(https, ca) }
  })
  afterAll(() => ended.disposeAsync())

  test('Gatehouse answers with https, secure cookies and its public address', async () => {
    const plain = await fetch(`http://127.0.0.1:${ports.http}/account?x=1`, { redirect: 'manual' })
    expect(plain.status).toBe(301)
    expect(plain.headers.get('location')).toMatch(/^https:\/\/[^/]+\/account\?x=1$/)

    const jar: CookieJar = new Map()
    const login = await submit(system, jar, '/auth/login', sharedAdmin)
    expect([login.status, login.headers.get('set-cookie')]).toEqual([303, expect.stringContaining('Secure')])
    expect(login.headers.get('strict-transport-security')).toMatch(/^max-age=\d+/)

    // An app, whose state is as long as it may be.
    const created = await createClient(system, root)
    const config = await client.discovery(
      new URL(system.baseUrl),
      created.client_id,
      created.client_secret,
      undefined,
      { [client.customFetch]: (url, init) => system.answer(new Request(url, init as RequestInit)) },
    )
    const state = 's'.repeat(12_000)
    const { address, checks } = await requestOf(config, { state })
    const { at } = await follow(system, jar, address)
    const tokens = await client.authorizationCodeGrant(config, at, { ...checks, expectedState: state })
    expect(tokens.claims()?.iss).toBe(system.baseUrl)

    const metrics = await browse(system, jar, '/metrics')
    expect(metrics.status).toBe(404)
  })

  test('Gatehouse knows the address of the caller, who cannot choose another one', async () => {
    const elsewhere = { baseUrl: system.baseUrl, answer: through(ports.https, ca, '127.0.0.2') }
    const jar = await logIn(elsewhere, sharedAdmin.username, sharedAdmin.password)
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7' }
    const page = await (await browse(elsewhere, jar, '/account', { headers })).text()
    expect(page).toContain('127.0.0.2')
    expect(page).not.toContain('203.0.113.7')
  })

  describe('of an API', () => {
    const audience = { resource: 'https://api.example.com' }

    async function tokenFor(scope: string, parameters: Record<string, string> = {}): Promise<string> {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope, ...parameters })
      const headers = basic(caller.client_id, caller.client_secret)
      const answer = await browse(system, new Map(), '/oauth/token', { method: 'POST', headers, body })
      return (await answer.json()).access_token
    }

    function call(headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
      const api = { baseUrl: `https://api.example.com:${ports.https}`, answer: system.answer }
      return browse(api, new Map(), '/photos', { ...init, headers })
    }
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

    test('a request with a valid token comes through, and says who sent it', async () => {
      const token = await tokenFor('photos:read', audience)
      for (const init of [{}, { method: 'POST', body: 'a photo' }]) {
        const answer = await call({ ...bearer(token), 'x-user': 'root', 'x-client': 'root' }, init)
        const headers = await answer.json()
        expect(headers).toMatchObject({ 'x-user': caller.client_id, 'x-client': caller.client_id })
        expect(headers).not.toHaveProperty('authorization')
      }
    })

    test.each([
      ['no token', undefined, 'Bearer'],
      ['something else than a token', 'nonsense', 'Bearer error="invalid_token"'],
    ])('a request with %s is refused', async (_, token, challenge) => {
      const answer = await call(token === undefined ? {} : bearer(token))
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge])
    })

    test('a token for another API is refused, and one without the scope', async () => {
      expect((await call(bearer(await tokenFor('read')))).status).toBe(401)
      const refused = await call(bearer(await tokenFor('photos:write', audience)))
      const challenge = 'Bearer error="insufficient_scope", scope="photos:read"'
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([403, challenge])
    })

    test('a revoked token is refused once its answer is no longer in the cache', async () => {
      const token = await tokenFor('photos:read', audience)
      expect((await call(bearer(token))).status).toBe(200)
      const body = new URLSearchParams({ token })
      const headers = basic(caller.client_id, caller.client_secret)
      const revoked = await browse(system, new Map(), '/oauth/revoke', { method: 'POST', headers, body })
      expect([revoked.status, (await call(bearer(token))).status]).toEqual([200, 200])
      await until(async () => (await call(bearer(token))).status === 401, 10_000)
    })
  })
})
