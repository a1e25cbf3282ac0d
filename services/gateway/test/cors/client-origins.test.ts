import { Refusal } from '@gatehouse/kit/errors'
import { recordedLog } from '@gatehouse/kit/testing/recorded-log'
import { describe, expect, test } from 'vitest'
import { type ClientOriginsDeps, createClientOrigins } from '../../src/cors/client-origins.ts'
import { errorOf, gateway } from '../../testing/gateway.ts'

const ours = 'https://app.example'
const others = 'https://other.example'

type Registry = ClientOriginsDeps['registry']
type Answer = Awaited<ReturnType<Registry['lookupClientOrigins']>>

const selfRegistered = 'client_0190f0a0-0000-7000-8000-00000000000a'

/** The knowledge of a client registry; `away` makes its calls fail. */
function origins(first: Answer['clients'], open = false) {
  const registry = { version: 'a', clients: first, incomplete: false, away: false }
  const known: (string | undefined)[] = []
  const { log, lines } = recordedLog()
  const asked: unknown[] = []
  const found = createClientOrigins({
    registry: {
      lookupClientOrigins: async ({ version }) => {
        known.push(version)
        if (registry.away) throw new Error('the registry is away')
        const isKnown = version === registry.version
        return { ...registry, clients: isKnown ? [] : registry.clients }
      },
      lookupRegisteredOrigin: async (question) => {
        asked.push(question)
        if (registry.away) throw new Error('the registry is away')
        return { listed: question.clientId === selfRegistered && question.origin === 'https://self.example' }
      },
    },
    ...{ open, now: Date.now, log },
  })
  return { registry, known, lines, asked, ...found }
}

const listed = [
  { clientId: 'client_a', origins: [ours] },
  { clientId: 'client_b', origins: [others] },
]

async function system(changes: Parameters<typeof gateway>[0] = {}, open = false) {
  const clientOrigins = origins(listed, open)
  await clientOrigins.refresh()
  return gateway({ openid: true, clientOrigins, ...changes })
}

const basic = (id: string) => `Basic ${Buffer.from(`${id}:secret`).toString('base64')}`
const tokenOf = (id: string) =>
  `e30.${Buffer.from(JSON.stringify({ client_id: id })).toString('base64url')}.x`
const refuse = () => Promise.reject(new Error('out of order'))

describe('a preflight request', () => {
  const ask = async (path: string, origin: string, corsOrigins: string[] = []) => {
    const { send } = await system({ corsOrigins })
    return send('OPTIONS', path, undefined, { origin, 'access-control-request-method': 'POST' })
  }

  test.each([
    ['/oauth/token', 'POST'],
    ['/oauth/revoke', 'POST'],
    ['/oauth/userinfo', 'GET, POST'],
  ])('of a page of any client is answered at %s', async (path, methods) => {
    for (const origin of [ours, others]) {
      const answer = await ask(path, origin)
      expect([answer.status, answer.headers]).toMatchObject([
        204,
        { 'access-control-allow-origin': origin, 'access-control-allow-methods': methods, vary: 'Origin' },
      ])
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  test.each(['null', 'http://app.example', 'https://app.example:8443', 'https://evil.example'])(
    'of %s, which no client lists, is 405',
    async (origin) => {
      const answer = await ask('/oauth/token', origin)
      expect([answer.status, errorOf(answer), answer.headers.allow]).toEqual([
        405,
        'method_not_allowed',
        'POST',
      ])
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  test.each(['/oauth/introspect', '/clients/register', '/oauth/authorize'])(
    'is 405 at %s, which is for no client',
    async (path) => {
      const answer = await ask(path, ours)
      expect(answer.status).toBe(405)
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    },
  )

  test('is also answered for the origins of OAUTH2_CORS_ORIGINS', async () => {
    for (const origin of [ours, 'https://set.example'])
      expect((await ask('/oauth/token', origin, ['https://set.example'])).headers).toMatchObject({
        'access-control-allow-origin': origin,
      })
    const introspect = await ask('/oauth/introspect', ours, ['https://set.example'])
    expect(introspect.headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('the answer', () => {
  const form = 'grant_type=authorization_code&code=x&redirect_uri=https%3A%2F%2Fapp.example%2Fcb'
  type Sent = [string, 'GET' | 'POST', string, string | undefined, Record<string, string>]
  const allowed = async ([, method, path, body, headers]: Sent, origin: string, changes = {}) => {
    const answer = await (await system(changes)).send(method, path, body, { origin, ...headers })
    expect(answer.headers.vary).toMatch(/\bOrigin\b/)
    return answer.headers['access-control-allow-origin']
  }
  const requests: Sent[] = [
    ['a client in the form', 'POST', '/oauth/token', `${form}&client_id=client_a`, {}],
    ['a client in the header', 'POST', '/oauth/token', form, { authorization: basic('client_a') }],
    ['a client that revokes', 'POST', '/oauth/revoke', 'token=x&client_id=client_a', {}],
    ['a token', 'GET', '/oauth/userinfo', undefined, { authorization: `Bearer ${tokenOf('client_a')}` }],
    ['a token in a form', 'POST', '/oauth/userinfo', `access_token=${tokenOf('client_a')}`, {}],
  ]

  test.each(requests)('to %s is for pages of its origins alone', async (...sent) => {
    expect(await allowed(sent, ours)).toBe(ours)
    expect(await allowed(sent, others)).toBeUndefined()
    expect(await allowed(sent, 'https://evil.example')).toBeUndefined()
    const failing = { tokens: { issue: refuse, revoke: refuse, getUserinfo: refuse } }
    expect(await allowed(sent, ours, failing)).toBe(ours)
    expect(await allowed(sent, others, failing)).toBeUndefined()
  })

  test.each<Sent>([
    ['no client', 'POST', '/oauth/token', form, {}],
    ['an unknown client', 'POST', '/oauth/token', `${form}&client_id=client_x`, {}],
    [
      'two clients',
      'POST',
      '/oauth/token',
      `${form}&client_id=client_a`,
      { authorization: basic('client_b') },
    ],
    [
      'an unreadable header',
      'POST',
      '/oauth/token',
      `${form}&client_id=client_a`,
      { authorization: 'Basic x' },
    ],
    ['no token', 'GET', '/oauth/userinfo', undefined, {}],
    ['a token that is no JWT', 'GET', '/oauth/userinfo', undefined, { authorization: 'Bearer x.bnVsbA.y' }],
  ])('to %s is for no page', async (...sent) => {
    expect(await allowed(sent, ours)).toBeUndefined()
  })

  test('that comes before the client is read is for the pages of all clients', async () => {
    const { send } = await system()
    const headers = { origin: ours, 'content-type': 'text/plain' }
    const answer = await send('POST', '/oauth/token', 'x', headers)
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.headers['access-control-allow-origin']).toBe(ours)
  })

  test('at introspection is for no page of a client, and without an Origin it is as ever', async () => {
    const { send } = await system()
    const headers = { authorization: basic('client_a') }
    const answer = await send('POST', '/oauth/introspect', 'token=x', { origin: ours, ...headers })
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
    for (const path of ['/oauth/introspect', '/oauth/revoke']) {
      const { headers: plain } = await send('POST', path, 'token=x', headers)
      expect(plain).not.toHaveProperty('vary')
      expect(plain).not.toHaveProperty('access-control-expose-headers')
    }
  })
})

test('a change counts with the next look, and the last list is kept while the registry is away', async () => {
  const known = origins(listed)
  expect(known.has(ours)).toBe(false)
  await known.refresh()
  expect([known.has(ours), known.lists('client_a', ours), known.lists('client_b', ours)]).toEqual([
    ...[true, true, false],
  ])
  await known.refresh()
  expect(known.known).toEqual([undefined, 'a'])
  known.registry.away = true
  await expect(known.refresh()).rejects.toThrow('the registry is away')
  expect(known.lists('client_a', ours)).toBe(true)
  Object.assign(known.registry, { away: false, version: 'b', clients: [listed[1]], incomplete: true })
  await known.refresh()
  expect([known.has(ours), known.lists('client_a', ours), known.has(others)]).toEqual([false, false, true])
  expect(known.lines).toMatchObject([{ msg: expect.stringContaining('too many clients have origins') }])
})

describe('where anybody may register a client', () => {
  const self = 'https://self.example'

  test('a preflight is answered for every origin of a page, and for nothing else', async () => {
    const { send } = await system({}, true)
    const ask = (path: string, origin: string) =>
      send('OPTIONS', path, undefined, { origin, 'access-control-request-method': 'POST' })
    for (const origin of [ours, self, 'https://evil.example', 'http://localhost:5173'])
      expect((await ask('/oauth/token', origin)).headers).toMatchObject({
        'access-control-allow-origin': origin,
      })
    for (const origin of [
      'null',
      'https://self.example/',
      'HTTPS://self.example',
      `https://${'a'.repeat(300)}`,
    ])
      expect((await ask('/oauth/token', origin)).status).toBe(405)
    for (const path of ['/oauth/introspect', '/clients/register'])
      expect((await ask(path, self)).status).toBe(405)
  })

  test('an answer is for the pages of its client alone', async () => {
    const { send } = await system({}, true)
    const form = 'grant_type=authorization_code&code=x&client_id='
    const readable = async (clientId: string, origin: string) =>
      (await send('POST', '/oauth/token', form + clientId, { origin })).headers['access-control-allow-origin']
    expect(await readable(selfRegistered, self)).toBe(self)
    expect(await readable(selfRegistered, ours)).toBeUndefined()
    expect(await readable(selfRegistered, 'https://evil.example')).toBeUndefined()
    expect(await readable('client_a', ours)).toBe(ours)
    expect(await readable('client_a', self)).toBeUndefined()
  })

  test('the registry is asked once for many requests of a moment, and its failure lets no page read', async () => {
    const known = origins(listed, true)
    const questions = Array.from({ length: 50 }, () => known.lists(selfRegistered, self))
    expect(new Set(await Promise.all(questions))).toEqual(new Set([true]))
    expect(known.asked).toEqual([{ clientId: selfRegistered, origin: self }])
    known.registry.away = true
    expect(await known.lists(selfRegistered, 'https://other.example')).toBe(false)
    expect(known.lines).toMatchObject([{ msg: expect.stringContaining('no page may read this answer') }])
  })

  test.each([
    'c'.repeat(3_000),
    `https://app.example/${'c'.repeat(300)}`,
    'https://app.example/\0',
    'client_0190f0a0-0000-7000-8000-00000000000\0',
    'billing',
    '',
  ])('the registry is not asked about %j, which no client that registered itself has', async (clientId) => {
    const known = origins(listed, true)
    expect(await known.lists(clientId, self)).toBe(false)
    expect(known.asked).toEqual([])
  })

  test.each([429, 503])(
    'an answer %i, which comes whoever asks, is for every page, and asks nobody',
    async (status) => {
      const clientOrigins = origins(listed, true)
      await clientOrigins.refresh()
      const code = status === 429 ? 'rate_limit_exceeded' : 'temporarily_unavailable'
      const getUserinfo = () => Promise.reject(new Refusal(code))
      const { send } = await gateway({ openid: true, clientOrigins, tokens: { getUserinfo } })
      const headers = { origin: self, authorization: `Bearer ${tokenOf(selfRegistered)}` }
      const answer = await send('GET', '/oauth/userinfo', undefined, headers)
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, self])
      expect(clientOrigins.asked).toEqual([])
    },
  )
})
