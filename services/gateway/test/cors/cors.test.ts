import { describe, expect, test } from 'vitest'
import { errorOf, gateway } from '../../testing/gateway.ts'

const origin = 'https://app.example'

async function preflight(path: string, headers: Record<string, string> = {}) {
  const { send } = await gateway({ corsOrigins: [origin] })
  return send('OPTIONS', path, undefined, { origin, 'access-control-request-method': 'POST', ...headers })
}

const forPages = ['/oauth/token', '/oauth/introspect', '/oauth/revoke', '/clients/register']

test.each(forPages)('a page of an allowed origin gets a good preflight answer at %s', async (path) => {
  const answer = await preflight(path, { 'access-control-request-headers': 'authorization' })
  expect(answer.status).toBe(204)
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type',
  })
})

test('a page of another origin gets no CORS headers', async () => {
  const answer = await preflight('/oauth/token', { origin: 'https://evil.example' })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

test.each(forPages)('OPTIONS without an Origin is 405 at %s, which lists its methods', async (path) => {
  for (const corsOrigins of [[origin], ['*'], []]) {
    const { send } = await gateway({ corsOrigins })
    const answer = await send('OPTIONS', path, undefined, { 'access-control-request-method': 'POST' })
    expect([answer.status, errorOf(answer)]).toEqual([405, 'method_not_allowed'])
    expect(answer.headers).toMatchObject({ allow: 'POST' })
  }
})

test('`*` stands for every origin, also at userinfo', async () => {
  const { send } = await gateway({ corsOrigins: ['*'], openid: true })
  const asked = { origin: 'https://any.example', 'access-control-request-method': 'GET' }
  const answer = await send('OPTIONS', '/oauth/userinfo', undefined, asked)
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
  })
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
  const authorize = await send('OPTIONS', '/oauth/authorize', undefined, asked)
  expect(authorize.headers).not.toHaveProperty('access-control-allow-origin')
})

describe('an answer that pages may read', () => {
  const form = 'grant_type=client_credentials&client_id=client_a&client_secret=x'

  test.each([
    ['of an allowed origin', origin, origin],
    ['of another origin', 'https://other.example', undefined],
    ['without an Origin', undefined, undefined],
  ])('%s says that it depends on the origin, once', async (_, from, allowed) => {
    const { send } = await gateway({ corsOrigins: [origin], openid: true })
    const headers = from === undefined ? {} : { origin: from }
    const answers = [
      await send('POST', '/oauth/token', form, headers),
      await send('GET', '/oauth/userinfo', undefined, headers),
      await send('HEAD', '/oauth/userinfo', undefined, headers),
    ]
    for (const answer of answers)
      expect([answer.headers.vary, answer.headers['access-control-allow-origin']]).toEqual([
        'Origin',
        allowed,
      ])
  })

  test('is none of a path that is not for pages', async () => {
    const { send } = await gateway({
      corsOrigins: ['*'],
      registration: { mode: 'open', token: undefined, full: true },
    })
    const answer = await send('GET', '/clients/register/client_a', undefined, { origin })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([401, undefined])
  })
})

const discovery = [
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/jwks.json',
]

describe.each([
  ['set', [origin]],
  ['not set', []],
])('with OAUTH2_CORS_ORIGINS %s', async (set, corsOrigins) => {
  const { send, routes } = await gateway({ corsOrigins })
  const ask = (path: string) =>
    send('OPTIONS', path, undefined, {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,x-trace',
    })

  test.each(discovery)('a page of any origin gets a good preflight answer at %s', async (path) => {
    const answer = await ask(path)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*, authorization',
    })
  })

  test('every other route answers 405 and lists its methods', async () => {
    const open = set === 'set' ? [...discovery, ...forPages] : discovery
    // fastify announces the plugin's own routes at other addresses than it serves.
    const ours = routes.map(({ url }) => url).filter((url) => !/[*]|^.swagger-ui/.test(url))
    const urls = new Set(ours.filter((url) => !open.includes(url)))
    expect(urls.size).toBeGreaterThan(50)
    for (const url of urls) {
      const answer = await ask(url.replaceAll(/:\w+/g, 'a%20b'))
      expect([url, answer.status, errorOf(answer)]).toEqual([url, 405, 'method_not_allowed'])
      const methods = routes.flatMap((route) => (route.url === url ? [route.method].flat() : []))
      expect([url, answer.headers.allow]).toEqual([url, [...new Set(methods)].sort().join(', ')])
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    }
  })

  test.each(['/nowhere', '/oauth/tokens', '/admin/api/clients/a/b/c'])('%s is not found', async (path) => {
    const answer = await ask(path)
    expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
  })
})

test('a name that no file can have is not found, and is not logged as an error', async () => {
  const { send } = await gateway()
  for (const url of ['/swagger-ui/static/%00', `/swagger-ui/static/${'a'.repeat(5_000)}`]) {
    const answer = await send('GET', url)
    expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
  }
})
