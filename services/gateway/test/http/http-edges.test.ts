import { converse, rawRequest } from '@gatehouse/test/raw-http'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { authorizePath, locationOf } from '../../testing/browser.ts'
import { type Changes, errorOf } from '../../testing/gateway.ts'
import { eventing } from '../events/eventing.ts'
import { limitedGateway } from '../limits/limits.ts'

type Listening = Awaited<ReturnType<typeof open>>
const opened: Listening[] = []
afterAll(() => Promise.all(opened.map(({ app }) => app.close())))

async function open(...options: Parameters<typeof limitedGateway>) {
  const gate = await limitedGateway(...options)
  const baseUrl = await gate.app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...gate,
    /** Sends a raw request, and returns the one answer. */
    async ask(request: string) {
      const [answer] = (await converse(baseUrl, Buffer.from(request, 'latin1'))).answers
      if (answer === undefined) throw new Error('there was no answer')
      const headers: Record<string, string> = Object.fromEntries(answer.headers)
      return { status: answer.status, headers, text: await answer.text() }
    },
  }
}

let unchanged: Promise<Listening> | undefined

/**
 * A gateway that listens, for requests that no HTTP client would send. Tests without changes share one, whose state is
 * reset.
 */
async function listening(changes?: Changes): Promise<Listening> {
  const opening = changes ? open(changes) : (unchanged ?? open())
  if (!changes) unchanged = opening
  const gate = await opening
  if (!opened.includes(gate)) opened.push(gate)
  gate.calls.length = 0
  gate.lines.length = 0
  gate.clock.now += 60_001
  return gate
}

/** How many requests were answered with a status, by the metrics. */
async function counted({ send }: Listening, status: number): Promise<number> {
  const { text } = await send('GET', '/metrics')
  const lines = text.matchAll(
    new RegExp(`^oauth2_server_http_requests_total\\{.*status="${status}"\\} (\\d+)$`, 'gm'),
  )
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe('an address that the router or a plugin cannot handle', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.'.padEnd(800, 'x')

  test.each([
    ['a malformed escape', 'GET', '/%zz', 400, 'invalid_request'],
    ['an escape that is not UTF-8', 'GET', '/oauth/%ff', 400, 'invalid_request'],
    ['a malformed parameter', 'GET', '/admin/api/clients/%e2%28', 400, 'invalid_request'],
    ['a malformed absolute address', 'GET', 'http://localhost/%zz', 400, 'invalid_request'],
    ['another scheme', 'GET', 'ftp://localhost/health', 400, 'invalid_request'],
    ['the whole server', 'OPTIONS', '*', 400, 'invalid_request'],
    ['a token for an id', 'GET', `/admin/api/users/${token}`, 401, 'login_required'],
    ['a token for a provider', 'GET', `/auth/login/${token}`, 404, 'not_found'],
    ['a file above the directory', 'GET', '/swagger-ui/static/%2e%2e/x', 404, 'not_found'],
    ['a directory without a name', 'GET', '/swagger-ui/static//x', 404, 'not_found'],
  ] as const)('%s is a 4xx that is limited, counted and not logged', async (...row) => {
    const [, method, target, status, code] = row
    const gate = await listening()
    const before = await counted(gate, status)
    const answer = await gate.ask(rawRequest(method, target))
    expect([answer.status, errorOf(answer)]).toEqual([status, code])
    expect(answer.headers['x-ratelimit-remaining']).toBe('98')
    expect((await counted(gate, status)) - before).toBe(1)
    expect(gate.lines.filter(({ level }) => level >= 40)).toEqual([])
    expect(JSON.stringify(gate.lines)).not.toContain(target.replace('http://localhost', ''))
  })

  test('always counts towards a limit', async () => {
    const gate = await listening()
    const pieces = fc.constantFrom(
      '/',
      'a',
      '%',
      '%2',
      '%25',
      '%2e',
      '%c3',
      '%a4',
      '%ff',
      '%00',
      'z',
      '?',
      '#',
      '..',
    )
    const prefixes = fc.constantFrom(
      '/',
      '/oauth/',
      '/admin/api/clients/',
      '/swagger-ui/static/',
      'http://a/',
      'http:',
      '',
    )
    await fc.assert(
      fc.asyncProperty(prefixes, fc.array(pieces, { maxLength: 8 }), async (prefix, path) => {
        gate.clock.now += 60_001
        const answer = await gate.ask(rawRequest('GET', `${prefix}${path.join('')}`))
        // A request that is not HTTP closes the connection.
        if (answer.headers.connection === 'close') expect(answer.status).toBe(400)
        else expect(answer.headers['x-ratelimit-remaining']).toMatch(/^9?9$/)
        expect(answer.status).toBeLessThan(500)
        expect(answer.text).not.toContain('FST_')
      }),
      { numRuns: 300 },
    )
    expect(gate.lines.filter(({ level }) => level >= 40)).toEqual([])
  })

  test('in absolute form is handled like the same path', async () => {
    const gate = await listening()
    expect((await gate.ask(rawRequest('GET', 'http://localhost/health?a=b'))).status).toBe(200)
    expect((await gate.ask(rawRequest('GET', 'http://localhost'))).status).toBe(302)
  })
})

describe('an ambiguous head', () => {
  const form = 'grant_type=client_credentials'
  const post = (headers: Record<string, string>, path = '/oauth/token') =>
    rawRequest('POST', path, { 'content-type': 'application/x-www-form-urlencoded', ...headers }, form)
  const twice = (path: string) =>
    post({ authorization: 'Basic eDp5\r\nAuthorization: Bearer a.b.c', 'x-large': 'x' }, path)

  test.each<[string, string, number, string]>([
    ['two Authorization headers', twice('/oauth/token'), 20, 'Authorization'],
    ['two Authorization headers of an administrator', twice('/admin/api/keys/rotate'), 100, 'Authorization'],
    ['two Authorization headers where none is needed', twice('/health'), 100, 'Authorization'],
    ['no Host', 'GET /health HTTP/1.1\r\n\r\n', 100, 'Host'],
    ['no Host at a page', 'GET /auth/login HTTP/1.1\r\naccept: text/plain\r\n\r\n', 100, 'Host'],
    ['two Hosts', post({ host: 'a\r\nhost: b' }), 20, 'Host'],
  ])('%s: 400, and counted', async (_, request, limit, header) => {
    const gate = await listening()
    const answer = await gate.ask(request)
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain(header)
    expect(answer.headers['x-ratelimit-remaining']).toBe(String(limit - 1))
    expect(gate.calls).toEqual([])
  })

  test('HTTP/1.0 needs no Host', async () => {
    const { ask } = await listening()
    expect((await ask('GET /health HTTP/1.0\r\n\r\n')).status).toBe(200)
  })

  test.each(['gzip', 'br', 'deflate', 'identity, gzip', 'nonsense'])(
    'a body in %s is 415, and the answer names the supported encoding',
    async (coding) => {
      const { ask, calls } = await listening()
      for (const path of ['/oauth/token', '/clients/register', '/auth/login', '/events/ingest']) {
        const answer = await ask(post({ 'content-encoding': coding }, path))
        expect([answer.status, errorOf(answer)]).toEqual([415, 'invalid_request'])
        expect(answer.headers['accept-encoding']).toBe('identity')
      }
      expect(calls).toEqual([])
    },
  )

  test('a body with the encoding identity is read', async () => {
    const { ask } = await listening()
    const credentials = { authorization: 'Basic eDp5' }
    expect((await ask(post({ 'content-encoding': 'Identity', ...credentials }))).status).toBe(200)
  })

  test('an unknown expectation is ignored', async () => {
    const { ask } = await listening()
    expect((await ask(post({ expect: 'nonsense', authorization: 'Basic eDp5' }))).status).toBe(200)
  })
})

describe('a JSON body', () => {
  /** @param bytes one character per byte */
  const json = (bytes: string) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes.length) }
    return rawRequest('POST', '/clients/register', headers, bytes)
  }

  test.each([
    ['bytes that are not UTF-8', '{"client_name":"a\xff"}', 'UTF-8'],
    ['a character that is cut off', '{"client_name":"a\xc3"}', 'UTF-8'],
    ['an encoded half of a character', '{"client_name":"\xed\xa0\x80"}', 'UTF-8'],
    ['an escaped half of a character', '{"client_name":"\\ud800"}', 'client_name'],
    ['an escaped NUL', '{"scope":"\\u0000"}', 'scope'],
    ['a __proto__', '{"a":[{"__proto__":{}}]}', '__proto__'],
    ['a constructor.prototype', '{"constructor":{"prototype":{}}}', 'constructor.prototype'],
  ])('with %s is refused with the reason', async (_, body, reason) => {
    const { ask, calls } = await listening()
    const answer = await ask(json(body))
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toContain(reason)
    expect(calls).toEqual([])
  })

  test('of an event must be UTF-8 too', async () => {
    const { ask } = await listening({ eventing: eventing() })
    const body = '{"event":{"event_type":"a\xff"}}'
    const answer = await ask(json(body).replace('/clients/register', '/events/ingest'))
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(JSON.parse(answer.text).error_description).toBe('The body is not UTF-8.')
  })

  test('with any valid text is read unchanged', async () => {
    const { ask, asked } = await listening()
    const body = Buffer.from('\ufeff{"client_name":"Ünï \ufffd 😀","constructor":"Ferrari"}')
    expect((await ask(json(body.toString('latin1')))).status).toBe(201)
    expect(asked('registerClient')).toMatchObject([{ clientName: 'Ünï \ufffd 😀' }])
  })
})

describe('an authorization request', () => {
  const pathWith = (state: string) => `${authorizePath({ state: undefined })}&state=${state}`
  // More than Chromium sends besides the address, and almost all that the head has room for.
  const browserHeaders = { cookie: 'c'.repeat(2_500), 'user-agent': 'u'.repeat(1_400) }

  test.each(['a', '/', '%2F', '%22', '\\'])(
    'is accepted with a state of any length that fits into the head: %s',
    async (piece) => {
      const { ask } = await listening()
      const authorize = async (pieces: number) =>
        (await listening()).ask(rawRequest('GET', pathWith(piece.repeat(pieces))))
      let [good, bad] = [0, 20_000 / piece.length]
      while (bad - good > 1) {
        const middle = Math.floor((good + bad) / 2)
        const { status } = await authorize(middle)
        expect([302, 431]).toContain(status)
        if (status === 302) good = middle
        else bad = middle
      }
      expect(good * piece.length).toBeGreaterThan(15_000)
      const answer = await authorize(good)
      const login = locationOf(answer)
      for (const address of [login, login.replace('/auth/login', '/auth/login/microsoft')])
        expect([200, 302]).toContain((await ask(rawRequest('GET', address, browserHeaders))).status)
    },
  )

  test('an administrator’s address that is too long is not kept for the return after the login', async () => {
    const { ask } = await listening()
    const answer = await ask(rawRequest('GET', `/admin/users?search=${'/'.repeat(6_000)}`))
    expect([answer.status, locationOf(answer)]).toEqual([302, '/auth/login'])
  })
})

describe('Strict-Transport-Security', () => {
  const header = 'strict-transport-security'
  const others = ['GET /nowhere', 'GET /%zz', 'nonsense'].map((line) => `${line} HTTP/1.1\r\n\r\n`)

  test('is in every answer when the public base URL is https', async () => {
    const { ask, send, routes, clock } = await listening()
    for (const { method, url } of routes) {
      clock.now += 1_000
      const { headers } = await send([method].flat()[0] as 'GET', url.replace('*', 'x'))
      expect([method, url, headers[header]]).toEqual([method, url, 'max-age=31536000'])
    }
    for (const request of others) expect((await ask(request)).headers[header]).toBe('max-age=31536000')
  })

  test('is in none when it is not', async () => {
    const { ask } = await listening({ issuer: 'http://localhost:8080' })
    for (const request of ['GET /health HTTP/1.0\r\n\r\n', ...others])
      expect((await ask(request)).headers).not.toHaveProperty(header)
  })
})
