import { Refusal } from '@gatehouse/kit/errors'
import { errorCatalogue } from '@gatehouse/proto/errors'
import { describe, expect, test } from 'vitest'
import { explainError } from '../../../src/http/explain-error.ts'
import { activeToken, client, errorOf, gateway, token } from '../../../testing/gateway.ts'
import { eventing } from '../../events/eventing.ts'

const form = 'grant_type=client_credentials&client_id=a&client_secret=b'
const tokens = { issue: async () => token, introspect: async () => activeToken, revoke: async () => ({}) }

describe('a caller’s error', () => {
  test.each(['/nowhere', '/oauth/token/', '/OAUTH/TOKEN', '/oauth', '/health/x'])(
    '%s is not_found',
    async (path) => {
      const { send } = await gateway()
      const answer = await send('GET', path)
      expect([answer.status, errorOf(answer)]).toEqual([404, 'not_found'])
    },
  )

  test.each([
    ['GET', '/oauth/token', 'POST'],
    ['PUT', '/oauth/introspect', 'POST'],
    ['GET', '/oauth/revoke?token=x', 'POST'],
    ['DELETE', '/clients/register', 'POST'],
    ['POST', '/health', 'GET'],
    ['POST', '/.well-known/jwks.json', 'GET'],
    ['POST', '/admin', 'GET'],
    ['GET', '/events/ingest', 'POST'],
  ] as const)('%s %s is method_not_allowed, and Allow lists the methods', async (method, path, allow) => {
    const { send } = await gateway()
    const answer = await send(method, path)
    expect([answer.status, errorOf(answer)]).toEqual([405, 'method_not_allowed'])
    expect(String(answer.headers.allow).split(', ')).toContain(allow)
    expect(String(answer.headers.allow).split(', ')).not.toContain(method)
  })

  test.each([
    ['/oauth/token', `${form}&x=`],
    ['/clients/register', { client_name: '' }],
  ])('a body over 64 KiB at %s is 413 and invalid_request, and one of 64 KiB is read', async (path, body) => {
    const { send } = await gateway()
    const length = typeof body === 'string' ? body.length : JSON.stringify(body).length
    const filled = (size: number) => {
      const filling = 'x'.repeat(size - length)
      return typeof body === 'string' ? body + filling : { client_name: filling }
    }
    const answer = await send('POST', path, filled(65_537))
    expect([answer.status, errorOf(answer)]).toEqual([413, 'invalid_request'])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await send('POST', path, filled(65_536))).status).toBeLessThan(300)
  })

  test.each([
    '{',
    '{"client_name":"a"',
    'not json',
    '{"a":1}{"b":2}',
    "{'a':1}",
    '',
    '{"__proto__":{"a":1}}',
  ])('%j is not accepted as a JSON body', async (body) => {
    const { send, calls } = await gateway()
    const answer = await send('POST', '/clients/register', body, { 'content-type': 'application/json' })
    expect([answer.status, errorOf(answer)]).toEqual([400, 'invalid_request'])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(calls).toEqual([])
  })

  test.each(['/%zz', '/oauth/%', '/%ff'])(
    'the malformed address %s gets an error in the usual form',
    async (path) => {
      const { send } = await gateway()
      const answer = await send('GET', path)
      expect([400, 404]).toContain(answer.status)
      expect(['invalid_request', 'not_found']).toContain(errorOf(answer))
    },
  )

  test('a description has only characters that RFC 6749 allows, whatever was sent', async () => {
    const { send } = await gateway()
    const evil = '"><script>\\'
    const answers = [
      await send('GET', `/${encodeURIComponent(evil)}`),
      await send('POST', '/oauth/token', `grant_type=${encodeURIComponent(evil)}`),
      await send('POST', '/oauth/token', `${encodeURIComponent(evil)}=a&${encodeURIComponent(evil)}=b`),
      await send('POST', '/clients/register', { redirect_uris: { [evil]: evil } }),
      await send('POST', '/clients/register', evil, { 'content-type': evil }),
      await send('POST', '/clients/register', evil, { 'content-type': 'application/json' }),
    ]
    for (const answer of answers) {
      expect(errorOf(answer)).toMatch(/^\w+$/)
      expect(JSON.parse(answer.text).error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  })
})

test('a person at a wrong address gets a page with the same status', async () => {
  const { send } = await gateway()
  for (const [url, status, code] of [
    ['/nowhere', 404, 'not_found'],
    ['/oauth/consent', 405, 'method_not_allowed'],
  ] as const) {
    const page = await send('GET', url, undefined, { accept: 'text/html' })
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(page.text).toContain(`<code>${code}</code>`)
  }
})

test.each([
  ['date-time', 'must be a time such as 2026-01-01T00:00:00Z'],
  ['email', 'must have the format email'],
])('a field that must have the format %s is named in words', (format, words) => {
  const fault = { keyword: 'format', instancePath: '/to', params: { format } }
  const { description } = explainError(Object.assign(new Error(), { validation: [fault] }) as never)
  expect(description).toBe(`to ${words}.`)
})

describe('a server’s error', () => {
  test('a refusal is answered with its code, status and description, and a 503 with Retry-After', async () => {
    let thrown: unknown
    const { send } = await gateway({ tokens: { ...tokens, issue: () => Promise.reject(thrown) } })
    for (const [code, { httpStatus }] of Object.entries(errorCatalogue)) {
      if (code === 'eventing_disabled') continue
      thrown = new Refusal(code as 'server_error', 'In public.', { detail: 'private' })
      const answer = await send('POST', '/oauth/token', form)
      expect([answer.status, errorOf(answer)]).toEqual([httpStatus, code])
      expect(JSON.parse(answer.text).error_description).toBe('In public.')
      expect(answer.text).not.toContain('private')
      if ([429, 503].includes(httpStatus)) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  test('a refusal with an unknown code is a server_error', async () => {
    const issue = () =>
      Promise.reject(Object.assign(new Refusal('invalid_request', 'New.'), { code: 'too_new' }))
    const { send } = await gateway({ tokens: { ...tokens, issue } })
    const answer = await send('POST', '/oauth/token', form)
    expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
  })

  test('an unknown error is a server_error without details, which only the log has', async () => {
    const issue = () => Promise.reject(new Error('the secret is hunter2'))
    const { send, lines } = await gateway({ tokens: { ...tokens, issue } })
    const answer = await send('POST', '/oauth/token', form)
    expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
    expect(answer.text).not.toMatch(/hunter2|Error|at /)
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 50,
        err: expect.objectContaining({ message: 'the secret is hunter2' }),
      }),
    )
  })

  test.each([
    ['a provider that is not offered', 'GET', '/auth/login/okta'],
    ['its callback', 'GET', '/auth/callback/auth0?code=a&state=b'],
    ['eventing that is off', 'POST', '/events/ingest'],
  ] as const)('an intended 503 is one line of the log and not an error: %s', async (_, method, path) => {
    const { send, lines } = await gateway()
    expect((await send(method, path)).status).toBe(503)
    expect(lines).toEqual([expect.objectContaining({ level: 30, msg: 'request', status: 503 })])
    expect(lines[0]).not.toHaveProperty('err')
  })

  test('a 503 with a cause is logged as an error, with the cause', async () => {
    const away = new Refusal('temporarily_unavailable', undefined, { cause: new Error('no connection') })
    const { send, lines } = await gateway({ tokens: { ...tokens, issue: () => Promise.reject(away) } })
    expect((await send('POST', '/oauth/token', form)).status).toBe(503)
    const err = expect.objectContaining({ message: 'no connection' })
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, err }))
  })

  test('a 503 of a service that says when to try again is not logged as an error', async () => {
    const busy = new Refusal('temporarily_unavailable', undefined, {
      cause: new Error('busy'),
      retryAfter: 7,
    })
    const { send, lines } = await gateway({ tokens: { ...tokens, issue: () => Promise.reject(busy) } })
    const answer = await send('POST', '/oauth/token', form)
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '7'])
    expect(lines).toEqual([expect.objectContaining({ level: 30, msg: 'request', status: 503 })])
  })

  test('a caller’s error is not logged as an error', async () => {
    const { send, lines } = await gateway()
    await send('POST', '/oauth/token', 'grant_type=x')
    await send('GET', '/nowhere')
    expect(lines.filter(({ level }) => level >= 40)).toEqual([])
  })

  test('a request is one line of the log, with its route and outcome and none of its contents', async () => {
    const { send, lines } = await gateway()
    const authorization = `Basic ${Buffer.from('client_hunter2:hunter2').toString('base64')}`
    await send('POST', '/oauth/token?hunter2=hunter2', 'grant_type=hunter2', {
      authorization,
      'user-agent': 'hunter2',
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({
      method: 'POST',
      route: '/oauth/token',
      status: 400,
      outcome: 'unsupported_grant_type',
      ms: expect.any(Number),
    })
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|aHVudGVy/)
  })
})

describe('an answer of a service that is outside the schema', () => {
  const lacking = <Whole extends object>(whole: Whole, field: keyof Whole) => {
    const { [field]: _, ...rest } = whole
    return rest as Whole
  }

  test.each(['accessToken', 'expiresIn', 'scope'] as const)(
    'a token without its %s is a 500',
    async (field) => {
      const { send, lines } = await gateway({
        tokens: { ...tokens, issue: async () => lacking(token, field) },
      })
      const answer = await send('POST', '/oauth/token', form)
      expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
      expect(answer.text).not.toContain(token.accessToken)
      expect(lines.filter(({ level }) => level === 50)).toHaveLength(1)
    },
  )

  test('an invalid number is a 500', async () => {
    const issue = async () => ({ ...token, expiresIn: 'soon' as unknown as number })
    const { send } = await gateway({ tokens: { ...tokens, issue } })
    const answer = await send('POST', '/oauth/token', form)
    expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
    expect(answer.text).not.toContain('soon')
  })

  test('a field outside the schema is not passed on', async () => {
    const issue = async () => ({ ...token, secret: 'hunter2' })
    const introspect = async () => ({ ...activeToken, secret: 'hunter2' })
    const { send } = await gateway({ tokens: { ...tokens, issue, introspect } })
    expect((await send('POST', '/oauth/token', form)).text).not.toContain('hunter2')
    const answer = await send('POST', '/oauth/introspect', 'token=x')
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('hunter2')
  })

  test.each(['clientId', 'redirectUris', 'grantTypes', 'scope', 'createdAt'] as const)(
    'a client without %s is a 500, and its secret is not shown',
    async (field) => {
      const { send } = await gateway({
        clientRegistry: {
          registerClient: async () => ({ client: lacking(client, field), clientSecret: 'hunter2' }),
          lookupClients: async () => ({ changed: [], unknown: [] }),
        },
      })
      const answer = await send('POST', '/clients/register', { client_name: 'a' })
      expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
      expect(answer.text).not.toContain('hunter2')
    },
  )

  test('no client at all is a 500', async () => {
    const { send } = await gateway({
      clientRegistry: {
        registerClient: async () => ({ client: undefined, clientSecret: 'hunter2' }),
        lookupClients: async () => ({ changed: [], unknown: [] }),
      },
    })
    const answer = await send('POST', '/clients/register', {})
    expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
  })

  test('an event health without its plugins is a 500', async () => {
    const getEventHealth = async () => ({ enabled: true }) as { enabled: boolean; plugins: [] }
    const { send } = await gateway({ eventing: eventing({ events: { getEventHealth } }) })
    const answer = await send('GET', '/events/health')
    expect([answer.status, errorOf(answer)]).toEqual([500, 'server_error'])
  })
})
